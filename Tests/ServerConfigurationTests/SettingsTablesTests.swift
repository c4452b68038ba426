import Foundation
import Providers
import Testing

@testable import ServerConfiguration

/// The tables of settings and of recipes in config/providers.md are generated from those in the
/// code.
///
/// `IPND_WRITE_TABLES=1 scripts/test SettingsTables` writes them anew.
@Suite struct SettingsTablesTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "config/providers.md")
    /// A part of the page, between two marks.
    struct Block: CustomTestStringConvertible, Sendable {
        let begin: String
        let end: String
        let text: String

        var testDescription: String { begin }
    }

    private static let blocks = [
        Block(
            begin: "<!-- settings: generated from the providers' tables -->\n",
            end: "<!-- settings: end -->\n", text: tables),
        Block(
            begin: "<!-- recipes: generated from the recipes -->\n",
            end: "<!-- recipes: end -->\n", text: RecipeTable.text),
    ]

    private static var tables: String {
        ProviderCatalog.shipped.list.map { descriptor in
            var lines = [
                "", "**\(descriptor.title)** (`provider: \(descriptor.name)`)", "",
                "| setting | where | required | value |", "|---|---|---|---|",
            ]
            for row in descriptor.settings where row.side != .sender {
                let place = row.side == .endpoint ? "endpoint" : "`inquiry`"
                lines.append(
                    "| `\(row.key)` | \(place) | \(row.isRequired ? "yes" : "") | \(row.help) |")
            }
            return lines.joined(separator: "\n") + "\n"
        }.joined() + "\n"
    }

    @Test(.serialized, arguments: blocks) func `the tables are those of the code`(_ block: Block)
        throws
    {
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        let start = try #require(text.range(of: block.begin))
        let stop = try #require(text.range(of: block.end))
        if ProcessInfo.processInfo.environment["IPND_WRITE_TABLES"] == "1" {
            let new = text.replacingCharacters(
                in: start.upperBound..<stop.lowerBound, with: block.text)
            try new.write(to: Self.file, atomically: true, encoding: .utf8)
            return
        }
        #expect(String(text[start.upperBound..<stop.lowerBound]) == block.text)
    }
}
