import Foundation
import Providers
import Testing

@testable import Configuration

/// The settings tables of config/providers.md are generated from the tables in the code.
///
/// `IPND_WRITE_TABLES=1 scripts/test SettingsTables` writes them anew.
@Suite struct SettingsTablesTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "config/providers.md")
    private static let begin = "<!-- settings: generated from the providers' tables -->\n"
    private static let end = "<!-- settings: end -->\n"

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

    @Test func theTablesAreThoseOfTheCode() throws {
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        let start = try #require(text.range(of: Self.begin))
        let stop = try #require(text.range(of: Self.end))
        if ProcessInfo.processInfo.environment["IPND_WRITE_TABLES"] == "1" {
            let new = text.replacingCharacters(
                in: start.upperBound..<stop.lowerBound, with: Self.tables)
            try new.write(to: Self.file, atomically: true, encoding: .utf8)
            return
        }
        #expect(String(text[start.upperBound..<stop.lowerBound]) == Self.tables)
    }
}
