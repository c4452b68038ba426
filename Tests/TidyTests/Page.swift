import Foundation
import Testing

/// A Markdown page of the tree with its links.
struct Page: CustomTestStringConvertible, Sendable {
    /// The path, from the root of the tree.
    let path: String
    let lines: [(number: Int, text: String, isCode: Bool)]
    /// The anchors of the headings.
    let anchors: Set<String>

    struct Link: Sendable {
        let line: Int
        let text: String
        let target: String
    }

    /// The file or folder, from the root of the tree.
    struct NamedFile: Sendable {
        let line: Int
        let path: String
    }

    /// First components of paths in backticks that are relative to the root of the tree.
    private static let folders = [
        "Sources/", "Tests/", "config/", "scripts/", ".github/", ".ci/",
    ]

    init(path: String, text: String) {
        self.path = path
        var lines: [(number: Int, text: String, isCode: Bool)] = []
        var isCode = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let isFence = line.drop { $0 == " " }.hasPrefix("```")
            if isFence { isCode.toggle() }
            if !isFence { lines.append((index + 1, String(line), isCode)) }
        }
        self.lines = lines
        anchors = Self.anchors(of: lines.filter { !$0.isCode }.map(\.text))
    }

    var testDescription: String { path }

    /// The folder that links are relative to.
    var folder: String {
        path.contains("/") ? path.split(separator: "/").dropLast().joined(separator: "/") : ""
    }

    var links: [Link] {
        lines.filter { !$0.isCode }.flatMap { line in
            line.text.matches(of: #/\[([^\]]*)\]\(([^)\s]+)\)/#).map {
                Link(line: line.number, text: String($0.1), target: String($0.2))
            }
        }
    }

    /// The files named in back-ticks, and the scripts and configuration files of the examples.
    /// `scripts/bench --publish` names `scripts/bench`; a text with a placeholder names no file.
    var namedFiles: [NamedFile] {
        lines.flatMap { line in
            words(of: line).compactMap { word in
                var name = word
                while let last = name.last, ",.;:)\"".contains(last) { name.removeLast() }
                name = name.replacing(#/:\d+$/#, with: "")
                guard Self.folders.contains(where: { name.hasPrefix($0) }) else { return nil }
                guard !name.contains(#/[*<>{}$…\[\]]/#), !hasPlaceholder(name) else { return nil }
                return NamedFile(line: line.number, path: name)
            }
        }
    }

    private func words(of line: (number: Int, text: String, isCode: Bool)) -> [String] {
        let pieces =
            line.isCode
            ? line.text.split(separator: " ").map(String.init)
            : line.text.matches(of: #/`([^`]+)`/#).map { String($0.1) }
        return pieces.compactMap { $0.split(separator: " ").first.map(String.init) }
    }

    /// `TARGET` of `Tests/Fuzz/TARGET.swift` stands for any name.
    private func hasPlaceholder(_ name: String) -> Bool {
        name.split(separator: "/").contains { part in
            let stem = part.prefix { $0 != "." }
            return stem.contains(where: \.isLetter) && stem.allSatisfy { $0.isUppercase }
                && !["README", "CONTRIBUTING"].contains(stem)
        }
    }

    /// Anchors as GitHub creates them: lower case, spaces as hyphens, without punctuation, and with
    /// a number for repetitions.
    private static func anchors(of lines: [String]) -> Set<String> {
        var anchors: Set<String> = []
        for line in lines {
            guard let heading = line.wholeMatch(of: #/#{1,6} +(.*)/#) else { continue }
            let title = heading.1.replacing(#/\[([^\]]*)\]\([^)]*\)/#) { $0.1 }
            let slug = title.lowercased().compactMap { character -> Character? in
                if character == " " { return "-" }
                let isKept = character.isLetter || character.isNumber || "-_".contains(character)
                return isKept ? character : nil
            }
            var anchor = String(slug)
            var repetition = 0
            while !anchors.insert(anchor).inserted {
                repetition += 1
                anchor = "\(String(slug))-\(repetition)"
            }
        }
        return anchors
    }
}

extension Page {
    /// Every page of the tree, except in hidden build folders.
    static let all: [Page] = {
        let root = TidyTests.root
        let names = FileManager.default.enumerator(atPath: root.path)
        var pages: [Page] = []
        while let name = names?.nextObject() as? String {
            if name.hasPrefix(".build") || name == ".git" || name == ".sandbox" {
                names?.skipDescendants()
            }
            guard name.hasSuffix(".md") else { continue }
            let file = root.appendingPathComponent(name)
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            pages.append(Page(path: name, text: text))
        }
        return pages.sorted { $0.path < $1.path }
    }()
}
