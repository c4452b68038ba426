import Testing

/// Comments are in plain English: they name the actor and the event, and begin with the thing.
@Suite struct WordingTidyTests {
    /// Maximum number of uses per 1,000 comment lines of Sources and Tests together. Lower these
    /// limits when the tree has fewer uses.
    private static let toldMax = 1.2
    private static let standsMax = 1.2
    private static let nobodyMax = 0.8
    private static let behindMax = 1.2
    private static let riddlesMax = 2.5

    private static let avoided = [
        Avoided(
            words: ["told", "tell", "tells", "telling"], perThousandMax: toldMax,
            remedy: "reported, delivered, recorded, sent, returns or says"),
        Avoided(
            words: ["stand", "stands", "stood", "standing"], perThousandMax: standsMax,
            remedy: "is, holds or applies"),
        Avoided(
            words: ["nobody", "somebody", "anybody", "whoever"], perThousandMax: nobodyMax,
            remedy: "the actor's name, or the passive"),
        Avoided(
            words: ["behind"], perThousandMax: behindMax,
            remedy: "after, unless it is about a position or a proxy"),
        Avoided(
            words: ["what ", "how ", "so many ", "that "], perThousandMax: riddlesMax,
            remedy: "the thing that the doc comment describes, or a verb"),
    ]

    /// Words to avoid in comments.
    private struct Avoided: CustomTestStringConvertible, Sendable {
        /// Words in lower case; with a final space, openings of doc comments.
        var words: [String]
        var perThousandMax: Double
        /// The terms to write instead.
        var remedy: String
        var testDescription: String { words[0] }
    }

    @Test(arguments: avoided)
    private func `comments avoid private words`(_ avoided: Avoided) {
        let lines = Self.all.reduce(0) { $0 + $1.comments.count }
        let uses = Self.all.flatMap { path, comments in
            Self.uses(of: avoided.words, in: comments).map { "\(path):\($0)" }
        }
        let perThousand = Double(uses.count) * 1000 / Double(lines)
        #expect(
            perThousand <= avoided.perThousandMax,
            """
            \(uses.count) uses in \(lines) lines; write \(avoided.remedy), for example in \
            \(uses.prefix(20).joined(separator: ", "))
            """)
    }

    private static let all = (TidyTests.sources + TidyTests.tests).map {
        (path: $0.path, comments: comments($0.text))
    }

    @Test func `the check finds what it must`() {
        let text = """
            /// What a destination is told.
            ///
            /// How it ends.
            let a = "// told"
            let b = 1  // Nobody stands here; "told" is quoted.
            /// Somehow whatever.
            """
        let comments = Self.comments(text)
        #expect(comments.map(\.number) == [1, 2, 3, 5, 6])
        #expect(Self.uses(of: ["told"], in: comments) == [1, 5])
        #expect(Self.uses(of: ["nobody", "stands"], in: comments) == [5, 5])
        #expect(Self.uses(of: ["what ", "how "], in: comments) == [1])
    }

    private struct Comment {
        /// Line number, counted from 1.
        var number: Int
        /// The text after the slashes, in lower case.
        var text: String
        /// Whether this is the first line of a doc comment.
        var isOpening = false
    }

    /// The comments of a source: whole lines, and ends of lines after two spaces.
    private static func comments(_ text: String) -> [Comment] {
        var comments: [Comment] = []
        var isInDoc = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let code = line.drop { $0 == " " }
            let isDoc = code.hasPrefix("///")
            let comment: Substring? =
                code.hasPrefix("//")
                ? code : line.firstRange(of: "  // ").map { line[$0.lowerBound...] }
            if let comment {
                let words = comment.drop { $0 == "/" || $0 == " " }
                comments.append(
                    Comment(
                        number: index + 1, text: words.lowercased(), isOpening: isDoc && !isInDoc))
            }
            isInDoc = isDoc
        }
        return comments
    }

    /// The line of each use of one of the words.
    private static func uses(of words: [String], in comments: [Comment]) -> [Int] {
        let openings = words.filter { $0.hasSuffix(" ") }
        return comments.flatMap { comment -> [Int] in
            let isOpening =
                comment.isOpening && openings.contains { comment.text.hasPrefix($0) }
            let count = comment.text.split { !$0.isLetter }.count { words.contains(String($0)) }
            return Array(repeating: comment.number, count: count + (isOpening ? 1 : 0))
        }
    }
}
