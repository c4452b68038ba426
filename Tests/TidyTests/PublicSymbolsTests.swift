import Foundation
import Testing

/// The public declarations of the library are a promise, so each addition is noticed:
/// Sources/PaymentNotifications/PublicSymbols.md is generated from them.
///
/// `IPND_WRITE_TABLES=1 scripts/test --filter PublicSymbols` writes it anew.
@Suite struct PublicSymbolsTests {
    private static let file = TidyTests.root.appendingPathComponent(
        "Sources/PaymentNotifications/PublicSymbols.md")

    /// Symbols whose comment is that of the requirement or operator which they fulfil.
    private static let inherited: Set<String> = [
        "verify(_:)", "interpret(_:)", "notifications(in:)", "answer(_:)", "prepare(_:)",
        "claim(_:)", "question(about:)", "sendsOneEvent", "idsAreOfReference", "==(_:_:)",
        "<(_:_:)", "==(left:right:)", "<(left:right:)", "<(lower:higher:)", "description", "name",
        "Evidence", "init(stringLiteral:)", "init(integerLiteral:)", "init(arrayLiteral:)",
    ]

    private static let all: [(module: String, symbols: [PublicSymbols.Symbol])] =
        LibraryTests.modules.map { module in
            let sources = TidyTests.sources.filter { $0.module == module }
            return (module, sources.flatMap { PublicSymbols($0.lines).symbols })
        }.filter { !$0.symbols.isEmpty }

    /// The constants that the build adds for each recipe.
    private static var recipes: [String] {
        let folder = TidyTests.root.appendingPathComponent("Sources/Providers/Recipes")
        let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (files ?? []).filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }
            .sorted()
    }

    private static var page: String {
        var lines = [
            "# Public symbols", "",
            "For users of the library: everything that it promises, with the first sentence of its "
                + "comment. Whatever else a",
            "module declares is `package`: only ipnd uses it, "
                + "and it may change in any version.", "",
            "<!-- generated from the sources by PublicSymbolsTests -->",
        ]
        for (module, symbols) in all {
            lines += ["", "## \(module)", "", "| symbol | |", "|---|---|"]
            var rows: [String: String] = [:]
            for symbol in symbols {
                rows[symbol.name] = symbol.sentence.replacing("|", with: "\\|")
            }
            if module == "Providers" {
                for recipe in recipes { rows["Recipe.\(recipe)"] = "The recipe `\(recipe).yaml`" }
            }
            lines += rows.sorted { $0.key < $1.key }.map { "| `\($0.key)` | \($0.value) |" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    @Test func `the page lists every public symbol`() throws {
        if ProcessInfo.processInfo.environment["IPND_WRITE_TABLES"] == "1" {
            try Self.page.write(to: Self.file, atomically: true, encoding: .utf8)
            return
        }
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        let (written, found) = (Set(text.split(separator: "\n")), Self.page.split(separator: "\n"))
        for line in found where !written.contains(line) { Issue.record("not in the page: \(line)") }
        #expect(
            text == Self.page,
            "IPND_WRITE_TABLES=1 scripts/test --filter PublicSymbols writes it anew")
    }

    @Test func `every public symbol says what it is`() {
        for (module, symbols) in Self.all {
            for symbol in symbols where symbol.sentence.isEmpty && !symbol.isCase {
                let own = symbol.name.split(separator: ".").last.map(String.init) ?? ""
                #expect(
                    Self.inherited.contains(own), "\(module): \(symbol.name), line \(symbol.line)")
            }
        }
    }

    @Test func `no module but the library's has public declarations`() {
        for source in TidyTests.sources where !LibraryTests.modules.contains(source.module) {
            #expect(PublicSymbols(source.lines).symbols.isEmpty, "\(source.path)")
        }
    }

    @Test func `the symbols are found`() {
        let text = """
            /// One thing. And more.
            public struct Thing<Value>: Sendable {
                /// Its size.
                public private(set) var size: Int
                package var inner = 1
                /// Creates it.
                public init?(
                    _ first: [Int: String], second: (a: Int, b: Int) = (1, 2)
                ) {
                }
                /// A kind of it.
                public enum Kind: String {
                    /// The first.
                    case one
                    case two(Int, named: String), three = "3"
                }
            }

            public protocol Does {
                /// Does it.
                func act(on thing: () -> Int, by: Int) throws -> Int
            }

            extension Thing {
                @inlinable public static func == (left: Thing, right: Thing) -> Bool { true }
                func hidden() {}
            }
            """
        let symbols = PublicSymbols(
            text.split(separator: "\n", omittingEmptySubsequences: false)
        ).symbols
        #expect(
            symbols.map(\.name) == [
                "Thing", "Thing.size", "Thing.init(_:second:)", "Thing.Kind", "Thing.Kind.one",
                "Thing.Kind.two", "Thing.Kind.three", "Does", "Does.act(on:by:)",
                "Thing.==(left:right:)",
            ])
        #expect(
            symbols.map(\.sentence).prefix(4) == [
                "One thing", "Its size", "Creates it",
                "A kind of it",
            ])
    }
}
