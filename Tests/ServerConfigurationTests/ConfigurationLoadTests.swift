import HTTP
import HTTPServer
import Platform
import Providers
import TestSupport
import Testing

@testable import ServerConfiguration

@Suite struct ConfigurationLoadTests {
    private let minimal = """
        listeners: [{address: 127.0.0.1:8080}]
        journal: {directory: journal}
        endpoints:
          - {name: citcon, path: /ipn/citcon, provider: citcon-upi, secrets: [{env: CITCON}]}

        """

    @Test func `what is left out has its default`() throws {
        let folder = TemporaryFolder()
        let configuration = try folder.load(minimal, environment: ["CITCON": "s"]).get()
        #expect(configuration.admin == nil)
        #expect(configuration.limits == Limits())
        #expect(configuration.queue == QueueLimits())
        #expect(configuration.loops == Processors.usable())
        #expect(configuration.drainDelaySeconds == 0)
        #expect(configuration.journal == JournalConfiguration(directory: "\(folder.path)/journal"))
        let rejections = RejectionsConfiguration(directory: "\(folder.path)/rejections")
        #expect(configuration.rejections == rejections)
        #expect(configuration.log == LogConfiguration())
        #expect(configuration.warnings.isEmpty)
        let endpoint = try #require(configuration.endpoint(named: "citcon"))
        #expect(endpoint.publicPath == "/ipn/citcon")
        #expect(endpoint.settings["mode"] ?? "live" == "live")
        #expect(endpoint.allow.isEmpty)
    }

    @Test func `everything that is said arrives`() throws {
        let folder = try TemporaryFolder.filled()
        let configuration = try folder.load(
            """
            listeners:
              - address: "[::1]:8443"
                tls: {certificate: tls/cert.pem, key: tls/key.pem, clientCA: tls/ca.pem,
                      additional: [{certificate: tls/other.pem, key: tls/other-key.pem}]}
              - address: 127.0.0.1:1
                proxy: {trusted: [10.0.0.0/8, "::1"], header: forwarded}
              - {address: "unix:/run/s", mode: 660, proxy: {protocol: proxy}}
            admin: {address: "unix:/run/admin", mode: "0600", token: {file: secrets/admin-token}}
            journal: {directory: /var/lib/j, segmentMiB: 32, retainDays: 90, archive: delete,
                      dedupRetainDays: 30, snapshotRecords: 1000, snapshotHours: 6,
                      indexWaitSeconds: 5}
            endpoints:
              - name: antom
                path: /ipn/antom
                publicPath: /pay/ipn/antom
                provider: antom
                allow: [192.0.2.0/24]
                clientID: 0115
                keys:
                  - {version: 2, publicKey: {file: keys/antom.pem}}
                  - version: 3
                    publicKey: \(KeyFixture.rsa.publicKeyBase64DER)
            limits: {bodyBytesMax: 2097152, queueSubmissionsMax: 5}
            loops: 3
            drainDelaySeconds: 7
            rejections:
              directory: refused
              countMax: 1
              bytesMax: 65536
              perSecondMax: 0
              inspectedBytesMax: 9
            log: {level: debug, format: json}
            """
        ).get()
        #expect(
            configuration.listeners.map { "\($0.address)" } == [
                "[::1]:8443", "127.0.0.1:1", "unix:/run/s",
            ])
        #expect(configuration.listeners[0].tls?.context.certificates.count == 2)
        #expect(configuration.listeners[1].proxy.header == .forwarded)
        #expect(
            configuration.listeners[1].proxy.trusted.map(\.description) == [
                "10.0.0.0/8", "::1/128",
            ])
        #expect(configuration.listeners[2].proxy.usesProxyProtocol)
        #expect(configuration.listeners.map(\.permissions?.rawValue) == [nil, nil, 0o660])
        #expect(configuration.admin?.settings.permissions?.rawValue == 0o600)
        #expect(configuration.describe().contains("unix:/run/s, plain HTTP, file mode 0660"))
        #expect(configuration.admin?.token == Array("an-admin-token-of-128-bits".utf8))
        let endpoint = try #require(configuration.endpoint(named: "antom"))
        #expect(endpoint.publicPath == "/pay/ipn/antom")
        // The text as written, not the number 77 or 115.
        #expect(endpoint.settings["clientID"] == "0115")
        #expect(endpoint.settings.keys.map(\.version) == [2, 3])
        #expect(endpoint.fingerprints.count == 2)
        #expect(endpoint.fingerprints[0].digits == endpoint.fingerprints[1].digits)
        let network = try #require(endpoint.allow.first)
        #expect(endpoint.allow.count == 1)
        #expect(network.contains(try #require(IPAddress("192.0.2.200"))))
        #expect(!network.contains(try #require(IPAddress("192.0.3.1"))))
        #expect(configuration.limits.bodyBytesMax == 2_097_152)
        #expect(configuration.queue.queueSubmissionsMax == 5)
        #expect(configuration.loops == 3)
        #expect(configuration.drainDelaySeconds == 7)
        #expect(configuration.journal?.archive == .delete)
        #expect(configuration.journal?.snapshotSeconds == 21_600)
        #expect(configuration.journal?.indexWaitSeconds == 5)
        #expect(configuration.describe().contains("a snapshot every 1000 records and every 6 h"))
        #expect(configuration.rejections.directory == "\(folder.path)/refused")
        #expect(configuration.rejections.inspectedBytesMax == 9)
        #expect(configuration.log.format == .json)
        #expect(configuration.serverSettings.listeners.count == 3)
    }

    @Test func `all mistakes are told at once and in the order of the file`() throws {
        let result = try TemporaryFolder().load(
            """
            listeners: [{address: nowhere}]
            endpoints:
              - {name: a, path: b, provider: citcon-upi, secrets: [{env: NONE}]}
            limits: {headByteMax: 1}
            loops: many
            """)
        guard case .failure(let error) = result else {
            Issue.record("it loads")
            return
        }
        // The missing key is reported at the top of the file, where the mapping begins.
        let keys = [
            "journal", "listeners[0].address", "endpoints[0].path", "endpoints[0].secrets[0].env",
            "limits.headByteMax", "loops",
        ]
        #expect(error.mistakes.map(\.key) == keys)
    }

    @Test func `a mistake in the path does not hide one in the keys`() throws {
        let result = try TemporaryFolder.filled().load(
            """
            listeners: [{address: 127.0.0.1:1}]
            journal: {directory: journal}
            endpoints:
              - {name: a, path: b, provider: antom, clientID: C,
                 keys: [{version: 1, publicKey: {file: keys/private.pem}}]}
            """)
        guard case .failure(let error) = result else {
            Issue.record("it loads")
            return
        }
        let keys = ["endpoints[0].path", "endpoints[0].keys[0].publicKey"]
        #expect(error.mistakes.map(\.key) == keys)
    }

    @Test func `no secret appears in errors warnings or the description`() throws {
        let folder = try TemporaryFolder.filled()
        try folder.write("secrets/exposed", "hunter2-in-a-file\n", mode: 0o644)
        let bad = try folder.load(
            minimal + "\nsecrets: hunter2\nadmin: {address: 127.0.0.1:1, token: hunter2}\n",
            environment: ["CITCON": "hunter2"])
        guard case .failure(let error) = bad else {
            Issue.record("it loads")
            return
        }
        #expect(!"\(error)".contains("hunter2"))
        let good = try folder.load(
            minimal + "admin: {address: 127.0.0.1:1, token: {file: secrets/exposed}}\n",
            environment: ["CITCON": "hunter2"]
        ).get()
        #expect(good.warnings.count == 2, "it is short, too")
        #expect(!"\(good.warnings)".contains("hunter2"))
        #expect(!good.describe().contains("hunter2"))
        #expect(good.describe().contains("secret 1: from variable CITCON"))
    }

    @Test func `a file that everybody may read is a warning and not a mistake`() throws {
        let folder = try TemporaryFolder.filled()
        try folder.write("secrets/open", "s\n", mode: 0o604)
        let configuration = try folder.load(
            minimal.replacing("{env: CITCON}", with: "{file: secrets/open}")
        ).get()
        let warning = try #require(configuration.warnings.first)
        #expect(warning.severity == .warning)
        #expect(warning.key == "endpoints[0].secrets[0].file")
        #expect("\(warning)".contains(":4:"))
        #expect("\(warning)".contains("chmod 600 \(folder.path)/secrets/open"))
    }

    @Test(arguments: [
        ("secret\n", "secret"), ("secret", "secret"), ("secret\r\n", "secret"),
        ("secret\n\n", "secret\n"), (" secret ", " secret "), ("secret\r", "secret\r"),
    ])
    func `exactly one newline at the end of a file is not part of the secret`(
        _ contents: String, _ secret: String
    ) throws {
        let folder = TemporaryFolder()
        try folder.write("s", contents)
        let configuration = try folder.load(minimal.replacing("{env: CITCON}", with: "{file: s}"))
            .get()
        #expect(configuration.endpoints[0].settings.secrets == [Array(secret.utf8)])
    }

    @Test func `a variable is taken as it is`() throws {
        let configuration = try TemporaryFolder().load(minimal, environment: ["CITCON": "s\n"])
            .get()
        #expect(configuration.endpoints[0].settings.secrets == [Array("s\n".utf8)])
    }

    @Test func `a missing file an empty one and one of another kind are told`() throws {
        let folder = TemporaryFolder()
        #expect(throws: ConfigurationError.self) {
            try Configuration.load(file: "\(folder.path)/none.yaml", environment: [:])
        }
        for text in ["", "# only a comment\n", "\u{1}"] {
            guard case .failure(let error) = try folder.load(text) else {
                Issue.record("it loads")
                continue
            }
            #expect(error.mistakes.count == 1)
            #expect(error.description.hasPrefix("\(folder.path)/ipnd.yaml:1: "))
        }
    }

    /// A key with thirty levels of aliases, each doubling the previous: Yams would compare 2³⁰
    /// values.
    private var aliasBomb: String {
        let levels = (1..<30).map { "a\($0): &a\($0) [*a\($0 - 1), *a\($0 - 1)]" }
        return (["a0: &a0 [x]"] + levels + ["? *a29", ": 1", ""]).joined(separator: "\n")
    }

    @Test func `deep nesting and many aliases are refused quickly`() throws {
        let folder = TemporaryFolder()
        for text in [
            String(repeating: "[", count: 100_000),
            "a: " + String(repeating: "{b: ", count: 100_000),
            String(repeating: "- ", count: 100_000),
            "a: &a [x, x]\nb: &b [*a, *a]\nlisteners: [*b, *b]\njournal: *b\n",
            aliasBomb,
        ] {
            guard case .failure = try folder.load(text) else {
                Issue.record("it loads")
                continue
            }
        }
    }
}
