import Foundation
import Testing

/// The links of the pages lead to existing files, headings and declarations.
@Suite struct LinksTests {
    @Test func `the pages are there`() {
        let paths = Set(Page.all.map(\.path))
        for path in ["README.md", "Sources/README.md", "config/README.md", "scripts/README.md"] {
            #expect(paths.contains(path))
        }
    }

    @Test func `README has at most 150 lines`() throws {
        let readme = try #require(Page.all.first { $0.path == "README.md" })
        let last = try #require(readme.lines.last { !$0.text.isEmpty })
        #expect(last.number <= 150)
    }

    @Test(arguments: Page.all) func `every relative link resolves`(_ page: Page) {
        for link in page.links where !Self.isElsewhere(link.target) {
            let parts = link.target.split(separator: "#", omittingEmptySubsequences: false)
            let path = parts[0].isEmpty ? page.path : Self.path(String(parts[0]), from: page)
            #expect(Self.exists(path), "\(page.path):\(link.line) leads to \(link.target)")
            guard parts.count > 1, let target = Page.all.first(where: { $0.path == path }) else {
                continue
            }
            #expect(
                target.anchors.contains(String(parts[1])),
                "\(page.path):\(link.line): \(path) has no heading #\(parts[1])")
        }
    }

    @Test(arguments: Page.all) func `every named file exists`(_ page: Page) {
        for file in page.namedFiles {
            #expect(Self.exists(file.path), "\(page.path):\(file.line) names \(file.path)")
        }
    }

    /// A link such as ``[`Receiver.respond`](Receiver/Receiver.swift)`` names a declaration.
    @Test(arguments: Page.all) func `every named function is in its file`(_ page: Page) throws {
        for link in page.links where link.target.hasSuffix(".swift") && link.text.hasPrefix("`") {
            let code = link.text.dropFirst().prefix { $0 != "`" && $0 != "(" }
            guard !code.hasSuffix(".swift") else { continue }
            let path = Self.path(link.target, from: page)
            let file = TidyTests.root.appendingPathComponent(path)
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            for name in code.split(separator: ".") {
                #expect(
                    Self.isNamed(String(name), in: text),
                    "\(page.path):\(link.line): \(path) has no \(name)")
            }
            let last = code.split(separator: ".").last.map(String.init) ?? ""
            #expect(
                Self.declares(last, text), "\(page.path):\(link.line): \(path) declares no \(last)")
        }
    }

    private static func isNamed(_ name: String, in text: String) -> Bool {
        text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains { $0 == name }
    }

    /// Whether a line of `text` declares `name`.
    private static func declares(_ name: String, _ text: String) -> Bool {
        let introducers: Set<String> = [
            "func", "var", "let", "case", "init", "struct", "class", "enum", "protocol", "actor",
            "extension", "typealias",
        ]
        return text.split(separator: "\n").contains { line in
            let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
            return zip(words, words.dropFirst()).contains {
                introducers.contains($0) && $1 == name
            }
        }
    }

    private static func isElsewhere(_ target: String) -> Bool {
        target.contains("://") || target.hasPrefix("mailto:")
    }

    /// The target of a link of `page`, from the root of the tree.
    private static func path(_ target: String, from page: Page) -> String {
        var parts = page.folder.split(separator: "/").map(String.init)
        for part in target.split(separator: "/") {
            switch part {
            case ".": break
            case "..": if parts.popLast() == nil { return target }
            default: parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }

    private static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: TidyTests.root.appendingPathComponent(path).path)
    }
}
