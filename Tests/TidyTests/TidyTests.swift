import Foundation
import TestSupport
import Testing

/// The tree's own rules, which a reviewer would otherwise have to check by hand.
@Suite struct TidyTests {
    static let root = SourceTree.root

    /// Modules without Foundation, which is large and slow to start, and which the request path
    /// does not need.
    static let withoutFoundation: Set<String> = [
        "JSON", "Bytes", "HTTP", "Payments", "Platform", "Cryptography", "TLS", "PostgreSQL",
        "PostgreSQLStore", "Journal", "Providers", "Records", "Ledger", "Store", "JournalStore",
        "HTTPServer", "Receiver", "Console", "Explain", "PaymentNotifications",
    ]

    struct Source: CustomTestStringConvertible, Sendable {
        let path: String
        let text: String
        var module: String { String(path.split(separator: "/")[1]) }
        var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
        var testDescription: String { path }

        /// Whether one of the words is in the text: faster than to look into each line.
        func mentions(_ words: some Sequence<String>) -> Bool {
            words.contains { text.hasBytes(of: $0) }
        }

        /// The imported modules, `Payments` for `import struct Payments.Money`.
        var imports: [String] {
            lines.compactMap { line in
                let words = line.split(separator: " ")
                guard let place = words.prefix(3).firstIndex(of: "import"), let last = words.last,
                    words[..<place].allSatisfy({ word in
                        word.allSatisfy { $0.isLetter || "@_".contains($0) }
                    })
                else { return nil }
                return last.split(separator: ".").first.map(String.init)
            }
        }
    }

    static let sources: [Source] = swiftFiles(below: "Sources")
    static let tests: [Source] = swiftFiles(below: "Tests")

    private static func swiftFiles(below folder: String) -> [Source] {
        let base = root.appendingPathComponent(folder)
        let all = FileManager.default.enumerator(atPath: base.path)?.allObjects as? [String] ?? []
        return all.filter { $0.hasSuffix(".swift") }.sorted().compactMap { name in
            let file = base.appendingPathComponent(name)
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
            return Source(path: "\(folder)/\(name)", text: text)
        }
    }

    @Test func `the tree is there`() {
        #expect(Self.sources.count > 100)
        #expect(Self.tests.count > 50)
    }

    @Test func `the lower modules do without foundation`() {
        for source in Self.sources where Self.withoutFoundation.contains(source.module) {
            #expect(!source.imports.contains("Foundation"), "\(source.path)")
        }
    }

    @Test func `no file is longer than 450 lines`() {
        for source in Self.sources + Self.tests {
            #expect(source.lines.count <= 450, "\(source.path) has \(source.lines.count) lines")
        }
    }

    /// The formatter wraps code, but not comments and string literals.
    @Test func `no line is longer than 100 columns`() {
        for source in Self.sources + Self.tests {
            for (number, line) in source.lines.enumerated() where line.count > 100 {
                Issue.record("\(source.path):\(number + 1) has \(line.count) columns")
            }
        }
    }

    /// A function begins with `func` or `init` and ends with a brace at its own indentation, which
    /// the formatter guarantees.
    @Test func `no function is longer than 70 lines`() {
        for source in Self.sources {
            var open: [(indentation: Int, line: Int)] = []
            for (number, line) in source.lines.enumerated() {
                let indentation = line.prefix { $0 == " " }.count
                let code = line.dropFirst(indentation)
                if code.contains("func ") || code.contains("init("), !code.hasPrefix("//") {
                    open.append((indentation, number))
                }
                guard code.hasPrefix("}") else { continue }
                // A protocol's requirements have no closing brace: they end with the protocol.
                open.removeAll { $0.indentation > indentation }
                if let last = open.lastIndex(where: { $0.indentation == indentation }) {
                    let length = number - open[last].line + 1
                    #expect(
                        length <= 70, "\(source.path):\(open[last].line + 1) has \(length) lines")
                    open.removeSubrange(last...)
                }
            }
        }
    }

    @Test func `nothing is left unfinished or unproven`() {
        let banned = ["TODO", "FIXME", "try!", "as!", "nonisolated(unsafe)", "@preconcurrency"]
        for source in Self.sources {
            for (number, line) in source.lines.enumerated() {
                let code = line.split(separator: "//", omittingEmptySubsequences: false)[0]
                for word in banned
                where word.first!.isLetter && word.last != "!"
                    ? line.contains(word) : code.contains(word)
                {
                    Issue.record("\(source.path):\(number + 1) has \(word)")
                }
            }
        }
    }

    /// `@unchecked Sendable` is a promise to the compiler; the type's comment has the proof.
    @Test func `every unchecked sendable has its proof`() {
        for source in Self.sources {
            let uses = source.lines.filter {
                $0.contains("@unchecked Sendable") && !$0.contains("//")
            }
            guard !uses.isEmpty else { continue }
            let proofs = source.lines.filter {
                $0.contains("//") && $0.contains("@unchecked Sendable")
            }
            #expect(!proofs.isEmpty, "\(source.path) promises without a proof")
        }
    }

    /// `EventLoop` says why.
    @Test func `every actor of the program has an executor of its own`() {
        for source in Self.sources {
            let actors = source.lines.filter { line in
                line.split(separator: " ").prefix { $0.allSatisfy(\.isLetter) }.contains("actor")
            }
            guard !actors.isEmpty else { continue }
            #expect(source.text.contains("unownedExecutor: "), "\(source.path)")
        }
    }

    /// `WorkerPool` says why.
    @Test func `every task of the program names its executor`() {
        for source in Self.sources {
            for line in source.lines where !line.contains("//") {
                let begins = [
                    "Task {", "Task.detached {", "Task(priority", "Task.detached(priority",
                ]
                #expect(!begins.contains { line.contains($0) }, "\(source.path): \(line)")
                #expect(!line.contains("Task.sleep"), "\(source.path): \(line)")
            }
        }
    }

    @Test func `the top level holds only what it should`() throws {
        let allowed: Set<String> = [
            "Package.swift", "Sources", "Tests", "config", "scripts", "README.md", "LICENSE",
        ]
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.root.path)
        for name in names where !name.hasPrefix(".") && name != "Package.resolved" {
            #expect(allowed.contains(name), "\(name) does not belong at the top level")
        }
    }
}

extension StringProtocol {
    /// Whether the bytes of a word are in this text, which has no NUL.
    func hasBytes(of word: String) -> Bool {
        withCString { text in word.withCString { strstr(text, $0) != nil } }
    }
}
