import Foundation
import Providers
import TestSupport
import Testing

@testable import ServerConfiguration

/// The file that `ipnd add` writes where the configuration includes a folder.
@Suite struct EndpointFileTests {
    private static let text = """
        # Ours.
        listeners: [{address: 127.0.0.1:1}]
        journal: {directory: journal}
        include: [ "shop.yaml", 'endpoints.d/*.yaml' ]   # an odd layout

        """
    private static let shop = """
        {name: shop, path: /ipn/shop, provider: citcon-pay, secrets: [{file: secrets/citcon}]}
        """

    private func folder(mode: Int = 0o600) throws -> TemporaryFolder {
        let folder = try TemporaryFolder.filled()
        try folder.write("ipnd.yaml", Self.text, mode: mode)
        try folder.write("shop.yaml", Self.shop)
        return folder
    }

    private func add(
        _ name: String, path: String? = nil, secret: String = "key\n", to folder: TemporaryFolder
    ) throws -> AddedEndpoint {
        let descriptor = try #require(ProviderCatalog.shipped["citcon-upi"])
        let addition = EndpointAddition(
            descriptor, name: name, path: path ?? "/ipn/\(name)",
            settings: [
                .init("secrets", .list([.flow([.init("file", .text("secrets/\(name)"))])]))
            ], credential: Array(secret.utf8))
        return try addition.add(to: folder.file("ipnd.yaml"), environment: [:])
    }

    @Test func `it is written beside the others and nothing else changes`() throws {
        let folder = try folder()
        let added = try add("second", to: folder)
        #expect(added.file == "endpoints.d/second.yaml")
        #expect(try folder.text("ipnd.yaml") == Self.text)
        #expect(try folder.text("shop.yaml") == Self.shop)
        #expect(
            try folder.text("endpoints.d/second.yaml") == """
                name: second
                path: /ipn/second
                provider: citcon-upi
                secrets: [{file: secrets/second}]

                """)
        #expect(try folder.mode("secrets/second") == 0o600)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: folder.file("endpoints.d"))
        #expect(names == ["second.yaml"])
        let configuration = try Configuration.load(
            file: folder.file("ipnd.yaml"), environment: [:])
        #expect(configuration.endpoints.map(\.name) == ["shop", "second"])
    }

    @Test(arguments: [(0o600, 0o700), (0o640, 0o750), (0o644, 0o755)])
    func `whoever reads the configuration can read it`(_ mode: Int, _ folderMode: Int) throws {
        let folder = try folder(mode: mode)
        _ = try add("second", to: folder)
        #expect(try folder.mode("endpoints.d/second.yaml") == mode)
        #expect(try folder.mode("endpoints.d") == folderMode)
    }

    @Test func `a warning is about the new endpoint only`() throws {
        let folder = try folder()
        _ = try add("second", to: folder)
        let added = try add("third", to: folder)
        let warnings = added.warnings.map(\.description)
        #expect(!warnings.isEmpty && added.warnings.allSatisfy { $0.file.hasSuffix("third.yaml") })
        #expect(warnings.contains { $0.contains("third has a secret of second") }, "\(warnings)")
    }

    @Test func `a result with a mistake changes nothing`() throws {
        let folder = try folder()
        try folder.write("secrets/there", "key\n")
        for (name, path, secret) in [
            ("second", "/ipn/shop", "key\n"), ("#x", "/ipn/x", "key\n"), ("x", "x", "key\n"),
            ("x", "/ipn/x", "\n"), ("there", "/ipn/there", "key\n"),
        ] {
            #expect(throws: EndpointAdditionError.self, "\(name) \(path)") {
                try add(name, path: path, secret: secret, to: folder)
            }
            #expect(!folder.exists("endpoints.d"))
            #expect(!folder.exists("secrets/\(name)") || name == "there")
            #expect(try folder.text("ipnd.yaml") == Self.text)
        }
    }

    @Test func `an existing file is not overwritten`() throws {
        let folder = try folder()
        let other = Self.shop.replacing("shop", with: "other")
        try folder.write("endpoints.d/second.yaml", other)
        do {
            _ = try add("second", to: folder)
            Issue.record("it was added")
        } catch let error as EndpointAdditionError {
            guard case .fileExists(let path) = error else { throw error }
            #expect(path == folder.file("endpoints.d/second.yaml"))
        }
        #expect(try folder.text("endpoints.d/second.yaml") == other)
        #expect(!folder.exists("secrets/second"))
    }

    @Test func `a file that the configuration would not read is not kept`() throws {
        let folder = try folder()
        try folder.write(
            "ipnd.yaml", Self.text.replacing("endpoints.d/*.yaml", with: "endpoints.d/*.bak"))
        #expect(throws: EndpointAdditionError.self) { try add("second", to: folder) }
        #expect(!folder.exists("endpoints.d/second.bak") && !folder.exists("secrets/second"))
    }

    @Test func `without a folder the configuration is edited`() throws {
        let folder = try folder()
        let text = Self.text.replacing(", 'endpoints.d/*.yaml' ]", with: "]")
        try folder.write("ipnd.yaml", text)
        #expect(try add("second", to: folder).file == nil)
        #expect(
            try folder.text("ipnd.yaml") == text + """
                endpoints:
                  - name: second
                    path: /ipn/second
                    provider: citcon-upi
                    secrets: [{file: secrets/second}]

                """)
        let configuration = try Configuration.load(
            file: folder.file("ipnd.yaml"), environment: [:])
        #expect(configuration.endpoints.map(\.name) == ["second", "shop"])
    }
}
