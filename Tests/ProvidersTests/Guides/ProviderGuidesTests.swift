import Foundation
import ProviderFixtures
import Providers
import TestSupport
import Testing

/// The page of each provider in the library's documentation is generated from what the code has:
/// its sample, settings table, facts, warnings, and the effect of each event that it can send.
///
/// `IPND_WRITE_TABLES=1 scripts/test --filter ProviderGuides` writes the pages anew.
@Suite struct ProviderGuidesTests {
    private static let folder = SourceTree.url(
        "Sources/PaymentNotifications/PaymentNotifications.docc/Providers")

    @Test(arguments: ProviderFixture.all + ProviderFixture.unlike)
    func `the page is that of the code`(_ fixture: ProviderFixture) throws {
        let file = Self.folder.appending(path: "\(fixture.name).md")
        let page = try ProviderGuide(fixture).text
        if ProcessInfo.processInfo.environment["IPND_WRITE_TABLES"] == "1" {
            try page.write(to: file, atomically: true, encoding: .utf8)
            return
        }
        #expect(
            try String(contentsOf: file, encoding: .utf8) == page,
            "IPND_WRITE_TABLES=1 scripts/test --filter ProviderGuides writes it anew")
    }

    @Test func `every provider has a page, and every page a provider`() throws {
        let names = ProviderCatalog.shipped.names
        let fixtures = (ProviderFixture.all + ProviderFixture.unlike).map(\.name)
        #expect(Set(fixtures) == Set(names))
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(files) == Set(names.map { "\($0).md" }))
        let landing = try String(
            contentsOf: Self.folder.deletingLastPathComponent()
                .appending(path: "PaymentNotifications.md"), encoding: .utf8)
        for name in names { #expect(landing.contains("<doc:\(name)>"), "\(name)") }
    }

    @Test func `the facts are the bullets of the type's comment`() {
        let source = """
            /// A system. Its rules follow.
            ///
            /// - **Verification:** HMAC over ``Parts/all``,
            ///   and no more.
            /// - **Settings:** `secrets`.
            public struct Example: Provider {
            """
        #expect(
            ProviderGuide.facts(in: source) == [
                "**Verification:** HMAC over `Parts/all`, and no more."
            ])
    }
}
