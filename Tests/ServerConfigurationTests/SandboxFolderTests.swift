import Foundation
import Platform
import Providers
import TestSupport
import Testing

@testable import ServerConfiguration

@Suite struct SandboxFolderTests {
    private func make(_ path: String, listen: String = "127.0.0.1:8080") throws -> SandboxFolder {
        let listen = try #require(SocketAddress(listen))
        let admin = try #require(SocketAddress("127.0.0.1:9090"))
        return try SandboxFolder.create(at: path, listen: listen, admin: admin)
    }

    @Test func `a new folder passes the check and has every system`() throws {
        let made = try SandboxTemplate.folder
        let configuration = try Configuration.load(file: made.configuration, environment: [:])
        let check = ConfigurationCheck(configuration)
        #expect(check.passes)
        #expect(Set(configuration.endpoints.map(\.system)) == Set(ProviderCatalog.shipped.names))
        #expect(configuration.admin?.token?.count == 64)
        #expect(configuration.warnings.allSatisfy { $0.key.hasSuffix(".provider") })
    }

    @Test func `only the owner may look into it`() throws {
        let parent = TemporaryFolder()
        let made = try make("\(parent.path)/new")
        let folders = ["endpoints.d", "keys", "secrets", "sandbox", "journal"]
        for folder in ["new"] + folders.map({ "new/\($0)" }) {
            #expect(try parent.mode(folder) == 0o700, "\(folder)")
        }
        #expect(made.files.contains("secrets/admin-token"))
        for file in made.files { #expect(try parent.mode("new/\(file)") == 0o600, "\(file)") }
    }

    @Test func `an existing configuration is left alone`() throws {
        let folder = TemporaryFolder()
        try folder.write("ipnd.yaml", "mine")
        #expect(throws: SandboxFolderError.configurationExists("\(folder.path)/ipnd.yaml")) {
            try make(folder.path)
        }
        #expect(try folder.text("ipnd.yaml") == "mine")
        #expect(!folder.exists("secrets"))
    }

    @Test func `a key that somebody put there is left alone`() throws {
        let folder = TemporaryFolder()
        try folder.write("keys/antom.pem", "mine")
        #expect(throws: SandboxFolderError.fileExists("\(folder.path)/keys/antom.pem")) {
            try make(folder.path)
        }
        #expect(try folder.text("keys/antom.pem") == "mine")
        #expect(!folder.exists("ipnd.yaml"))
    }

    @Test func `an interrupted init can be repeated`() throws {
        let folder = TemporaryFolder()
        // As after a crash: the last step, the rename, is missing.
        try folder.write("ipnd.yaml.unfinished", "half a config", mode: 0o644)
        try folder.write("keys/antom.pem", "half a key", mode: 0o644)
        let made = try make(folder.path)
        #expect(!folder.exists("ipnd.yaml.unfinished"))
        #expect(try folder.mode("ipnd.yaml") == 0o600)
        #expect(try folder.mode("keys/antom.pem") == 0o600)
        _ = try Configuration.load(file: made.configuration, environment: [:])
    }

    @Test func `a folder that cannot be made is told with the kernel's words`() throws {
        let folder = TemporaryFolder()
        try folder.write("file", "")
        #expect(throws: SandboxFolderError.self) { try make("\(folder.path)/file/below") }
    }

    @Test(arguments: ["[::1]:8080", "unix:/run/with space/it's \"here\".sock", "0.0.0.0:80"])
    func `any address survives the file`(_ address: String) throws {
        let parent = TemporaryFolder()
        let made = try make("\(parent.path)/new", listen: address)
        let configuration = try Configuration.load(file: made.configuration, environment: [:])
        #expect("\(configuration.listeners[0].address)" == address)
    }

    @Test func `one address for both sides is refused`() throws {
        let folder = TemporaryFolder()
        #expect(throws: SandboxFolderError.sameAddress("127.0.0.1:9090")) {
            try make("\(folder.path)/new", listen: "127.0.0.1:9090")
        }
        #expect(!folder.exists("new"))
    }

    @Test func `two folders share no key`() throws {
        let parent = TemporaryFolder()
        let first = try SandboxTemplate.folder
        let second = try make("\(parent.path)/shop/ipn/")
        #expect(first.files == second.files)
        _ = try Configuration.load(file: second.configuration, environment: [:])
        for file in first.files where file != "ipnd.yaml" {
            let text = try String(contentsOfFile: "\(first.folder)/\(file)", encoding: .utf8)
            #expect(try text != parent.text("shop/ipn/\(file)"), "\(file)")
        }
    }

    @Test func `the sandbox has what each sender needs`() throws {
        let made = try SandboxTemplate.folder
        let configuration = try Configuration.load(file: made.configuration, environment: [:])
        for endpoint in configuration.endpoints {
            let settings = try SandboxKeys.senderSettings(
                for: endpoint, folder: configuration.folder)
            let descriptor = endpoint.descriptor
            _ = try descriptor.makeSender(settings)
        }
    }

    @Test func `a folder without the provider's side says so`() throws {
        let folder = try TemporaryFolder.filled()
        let configuration = try folder.load(
            """
            listeners: [{address: 127.0.0.1:1}]
            journal: {directory: journal}
            endpoints:
              - {name: a, path: /a, provider: antom, clientID: C,
                 keys: [{version: 1, publicKey: {file: keys/antom.pem}}]}
            """
        ).get()
        #expect(throws: SettingsError.self) {
            try SandboxKeys.senderSettings(
                for: configuration.endpoints[0], folder: configuration.folder)
        }
    }
}
