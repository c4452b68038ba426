import Foundation
import TestSupport
import Testing

@testable import ServerConfiguration

/// Warnings about remains of a sandbox in a configuration for real notifications.
@Suite struct SandboxWarningTests {
    /// Returns the warnings of a sandbox configuration changed by `edit`, without the one that
    /// Citcon Pay always has.
    private static func warnings(
        listen: String = SandboxTemplate.listen, _ edit: (String) -> String = { $0 }
    ) throws -> [Finding] {
        let folder = TemporaryFolder()
        let file = try SandboxTemplate.copy(to: folder.file("shop"))
        try folder.write("shop/secrets/real", "a real secret\n", mode: 0o600)
        try folder.write("shop/keys/real.pem", KeyFixture.rsa.publicKeyPEM)
        let text = try folder.text("shop/ipnd.yaml").replacing(SandboxTemplate.listen, with: listen)
        try folder.write("shop/ipnd.yaml", edit(text), mode: 0o600)
        let configuration = try Configuration.load(file: file, environment: [:])
        return configuration.warnings.filter { !$0.key.hasSuffix(".provider") }
    }

    private static let citcon = "secrets: [{file: secrets/citcon}]"

    /// The keys of all messages: each endpoint's credential, and what else only a sandbox has.
    private static let everything: [String] = {
        guard let file = try? SandboxTemplate.folder.configuration,
            let configuration = try? Configuration.load(file: file, environment: [:])
        else { return [] }
        return configuration.endpoints.enumerated().flatMap { index, endpoint in
            var keys: [String] = []
            if !endpoint.settings.secrets.isEmpty {
                keys.append("\(endpoint.descriptor.secretsKey)[0]")
            }
            if !endpoint.settings.keys.isEmpty {
                keys.append("\(endpoint.descriptor.keysKey)[0]")
            }
            for row in endpoint.descriptor.rows(.endpoint)
            where endpoint.settings[row.key].flatMap(row.sandboxTrace) != nil {
                keys.append(row.key)
            }
            return keys.map { "endpoints[\(index)].\($0)" }
        }.sorted()
    }()

    @Test func `the first endpoints are among them`() {
        let known = [
            "endpoints[0].clientID", "endpoints[0].keys[0]", "endpoints[1].secrets[0]",
            "endpoints[4].mode", "endpoints[4].secrets[0]",
        ]
        #expect(Set(Self.everything).isSuperset(of: known) && Self.everything.count > 10)
    }

    @Test func `a sandbox on this machine gets none`() throws {
        #expect(try Self.warnings() == [])
        #expect(try Self.warnings(listen: "unix:/run/ipnd.sock") == [])
    }

    @Test func `every credential of it is named where others can connect`() throws {
        let found = try Self.warnings(listen: "0.0.0.0:8080")
        #expect(found.map(\.key).sorted() == Self.everything)
        #expect(
            found.allSatisfy {
                $0.problem.hasSuffix("0.0.0.0:8080 can be reached from other machines")
            })
        #expect(found.allSatisfy { $0.line != nil })
    }

    @Test func `a proxy makes a listener on this machine live`() throws {
        let found = try Self.warnings { text in
            text.replacing(
                #"- address: "127.0.0.1:8080""#,
                with: #"- address: "127.0.0.1:8080""# + "\n    proxy: {protocol: proxy}")
        }
        #expect(found.map(\.key).sorted() == Self.everything)
        #expect(
            found.first?.problem.hasSuffix("a proxy passes requests on to 127.0.0.1:8080") == true)
    }

    /// The secret added before the sandbox's, and the other endpoints.
    @Test func `a real secret beside them does the same`() throws {
        let found = try Self.warnings { text in
            text.replacing(
                Self.citcon, with: "secrets: [{file: secrets/real}, {file: secrets/citcon}]")
        }
        let keys = found.map(\.key)
        #expect(
            keys.contains("endpoints[1].secrets[1]") && !keys.contains("endpoints[1].secrets[0]"))
        #expect(keys.count == Self.everything.count)
        #expect(found[0].problem.hasSuffix("the endpoint citcon has a real key or secret"))
    }

    @Test func `real credentials alone get none`() throws {
        let found = try Self.warnings(listen: "0.0.0.0:8080") { text in
            let head = text.components(separatedBy: "endpoints:")[0]
            return head + """
                endpoints:
                  - name: antom
                    path: /ipn/antom
                    provider: antom
                    clientID: 5YT
                    keys: [{version: 1, publicKey: {file: keys/real.pem}}]
                  - name: citcon
                    path: /ipn/citcon
                    provider: citcon-upi
                    secrets: [{file: secrets/real}]

                """
        }
        #expect(found == [])
    }
}
