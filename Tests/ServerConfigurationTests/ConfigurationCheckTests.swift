import TestSupport
import Testing

@testable import ServerConfiguration

@Suite struct ConfigurationCheckTests {
    private func configuration(_ folder: TemporaryFolder, journal: String) throws -> Configuration {
        try folder.load(
            """
            listeners:
              - address: 127.0.0.1:8443
                tls: {certificate: tls/cert.pem, key: tls/key.pem}
            journal: {directory: \(journal)}
            endpoints:
              - {name: antom, path: /ipn/antom, provider: antom, clientID: C,
                 keys: [{version: 1, publicKey: {file: keys/antom.pem}}]}
            """
        ).get()
    }

    @Test func `what would run is told`() throws {
        let folder = try TemporaryFolder.filled()
        let configuration = try configuration(folder, journal: "journal")
        let check = ConfigurationCheck(configuration)
        #expect(check.passes)
        #expect(check.findings.isEmpty)
        for words in [
            "listen         127.0.0.1:8443, TLS (CN=ipn.example)",
            "endpoint       antom: POST /ipn/antom, antom", "client id C",
            "key version 1: SHA-256 \(configuration.endpoints[0].fingerprints[0].digits)",
            "\(folder.path)/journal: segments of 64 MiB", "will be created",
            "valid until 2126-",
        ] {
            #expect(check.report.contains(words), "\(words)")
        }
        #expect(!folder.exists("journal"))
    }

    /// A notification of the test system would count at the live endpoint.
    @Test func `two endpoints with one secret are told`() throws {
        func problems(_ other: String) throws -> [String] {
            let folder = try TemporaryFolder.filled()
            let configuration = try folder.load(
                """
                listeners: [{address: 127.0.0.1:8080}]
                journal: {directory: journal}
                endpoints:
                  - {name: live, path: /a, provider: citcon-upi, secrets: [{env: A}]}
                  - {name: test, path: /b, provider: citcon-upi, secrets: [{env: \(other)}]}
                """, environment: ["A": "one", "B": "two"]
            ).get()
            return ConfigurationCheck(configuration).findings.map(\.problem)
        }
        #expect(try problems("A").map { $0.hasPrefix("test has a secret of live") } == [true])
        #expect(try problems("B").isEmpty)
    }

    @Test(arguments: [("none/journal", "does not exist"), ("keys/antom.pem", "not a directory")])
    func `a journal that could not be opened is a mistake`(
        _ path: String, _ words: String
    ) throws {
        let folder = try TemporaryFolder.filled()
        let check = ConfigurationCheck(try configuration(folder, journal: path))
        #expect(!check.passes)
        // The rejection log is in the same folder, so a missing parent is reported for both.
        let finding = try #require(check.findings.first)
        #expect(finding.key == "journal.directory")
        #expect(finding.problem.contains(words))
    }

    @Test func `a certificate that ends soon is a warning`() throws {
        let folder = try TemporaryFolder.filled()
        let configuration = try configuration(folder, journal: "journal")
        let end = try #require(configuration.listeners[0].tls?.context.notAfter)
        let day: Int64 = 86_400
        #expect(ConfigurationCheck(configuration, now: end - 31 * day).findings.isEmpty)
        let soon = ConfigurationCheck(configuration, now: end - 10 * day)
        #expect(soon.passes)
        #expect(soon.findings.map(\.problem) == ["\(folder.path)/tls/cert.pem expires in 10 days"])
        let late = ConfigurationCheck(configuration, now: end + 1)
        #expect(late.findings.map(\.problem) == ["\(folder.path)/tls/cert.pem has expired"])
    }
}
