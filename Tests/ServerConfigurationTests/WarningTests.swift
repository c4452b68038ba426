import TestSupport
import Testing

@testable import ServerConfiguration

/// Valid configurations that deserve a warning.
@Suite struct WarningTests {
    private static let endpoints = """
        journal: {directory: j}
        endpoints: [{name: a, path: /a, provider: citcon-upi, secrets: [{env: SECRET}]}]

        """

    @Test(arguments: [
        (
            "listeners: [{address: 127.0.0.1:1}]\n"
                + "admin: {address: 0.0.0.0:2, token: {file: secrets/admin-token}}\n",
            "admin", "unencrypted"
        ),
        (
            "listeners: [{address: 0.0.0.0:1, proxy: {protocol: proxy}}]\n", "listeners[0].proxy",
            "claim any client address"
        ),
        (
            "listeners:\n- address: 127.0.0.1:1\n"
                + "  tls: {certificate: tls/cert.pem, key: tls/open.pem}\n",
            "listeners[0].tls.key", "every user of this machine may read"
        ),
    ])
    func `it is told once and the configuration loads`(
        _ yaml: String, _ key: String, _ words: String
    ) throws {
        let folder = try TemporaryFolder.filled()
        try folder.write("tls/open.pem", CertificateFixture.key, mode: 0o644)
        let configuration = try folder.load(
            yaml + Self.endpoints, environment: ["SECRET": "s"]
        ).get()
        #expect(configuration.warnings.map(\.key) == [key])
        #expect(configuration.warnings[0].description.contains(words))
        #expect(configuration.warnings[0].description.contains(": warning: \(key): "))
    }

    /// The payment page is signed with the callbacks' secret. If only ecommpay's networks may send,
    /// a valid signature alone is not sufficient.
    @Test(arguments: [("", 1), ("allow: [203.0.113.0/24], ", 0)])
    func `a back end may forge callbacks of ecommpay`(_ allow: String, _ count: Int) throws {
        let yaml =
            "journal: {directory: j}\nlisteners: [{address: 127.0.0.1:1}]\nendpoints: "
            + "[{name: e, path: /e, \(allow)provider: ecommpay, secrets: [{env: SECRET}]}]\n"
        let told = try TemporaryFolder().load(yaml, environment: ["SECRET": "s"]).get().warnings
        #expect(told.map(\.key) == Array(repeating: "endpoints[0].provider", count: count))
        #expect(told.allSatisfy { $0.description.contains("lets the app forge payments") })
    }

    /// Two secrets may belong to two projects, whose payments have the same ids.
    @Test(arguments: [("", false), ("projectID: 115, ", true)])
    func `several secrets of ecommpay need their project`(_ project: String, _ isRight: Bool) throws
    {
        let yaml =
            "journal: {directory: j}\nlisteners: [{address: 127.0.0.1:1}]\nendpoints: "
            + "[{name: e, path: /e, \(project)provider: ecommpay, "
            + "secrets: [{env: A}, {env: B}]}]\n"
        let loaded = try TemporaryFolder().load(yaml, environment: ["A": "a", "B": "b"])
        #expect(((try? loaded.get()) != nil) == isRight)
        if case .failure(let mistakes) = loaded {
            #expect("\(mistakes)".contains("endpoints[0].secrets"))
        }
    }

    /// One final newline is not part of the secret, a second one is.
    @Test(arguments: [("s\n\n", "ends"), (" s", "begins"), ("s ", "ends"), ("s\r\n", "")])
    func `a padded secret is told`(_ text: String, _ word: String) throws {
        let folder = TemporaryFolder()
        try folder.write("padded", text, mode: 0o600)
        let configuration = try folder.load(
            "listeners: [{address: 127.0.0.1:1}]\n"
                + Self.endpoints.replacing("{env: SECRET}", with: "{file: padded}")
        ).get()
        let told = configuration.warnings.map(\.description)
        #expect(told.count == (word.isEmpty ? 0 : 1))
        #expect(told.allSatisfy { $0.contains("the secret \(word) with white space") })
    }

    @Test(arguments: [
        ("a", true), ("an-admin-token", true), (String(repeating: "a", count: 64), true),
        ("0123456789abcdef0123456789abcde", true), ("0123456789abcdef0123456789abcdef", false),
        ("ZmFrZV90b2tlbl8xMjM0N", true), ("ZmFrZV90b2tlbl8xMjM0NQ", false),
    ])
    func `a token that can be guessed is told`(_ token: String, _ isShort: Bool) throws {
        let folder = TemporaryFolder()
        try folder.write("token", token, mode: 0o600)
        try folder.write("viewer", "0123456789abcdef0123456789abcdee", mode: 0o600)
        let configuration = try folder.load(
            "listeners: [{address: 127.0.0.1:1}]\n"
                + "admin: {address: 127.0.0.1:2, token: {file: token}, "
                + "viewerToken: {file: viewer}}\n"
                + Self.endpoints, environment: ["SECRET": "s"]
        ).get()
        #expect(configuration.warnings.map(\.key) == (isShort ? ["admin.token"] : []))
    }

    @Test(arguments: [
        "listeners: [{address: 127.0.0.1:1, proxy: {protocol: proxy}}]\n",
        "listeners: [{address: \"unix:/run/s\", proxy: {header: x-forwarded-for}}]\n",
        "listeners: [{address: 127.0.0.1:1}]\nadmin: {address: \"[::1]:2\"}\n",
        "\u{feff}listeners: [{address: 127.0.0.1:1}]\r\nlog:\r\n  level: info\r\n",
    ])
    func `what is in order gets none`(_ yaml: String) throws {
        let configuration = try TemporaryFolder().load(
            yaml + Self.endpoints, environment: ["SECRET": "s"]
        ).get()
        #expect(configuration.warnings.isEmpty)
    }

    @Test func `an alias stands for its anchor`() throws {
        let configuration = try TemporaryFolder().load(
            "# * * * a comment with stars\n"
                + "listeners: [{address: &here \"127.0.0.1:1\"}]\nlog: {level: &level debug}\n"
                + Self.endpoints.replacing("name: a", with: "name: *level"),
            environment: ["SECRET": "s"]
        ).get()
        #expect(configuration.endpoints[0].name == "debug")
    }

    @Test(arguments: ["hunter2", "{hunter2}", "{hunter2: 1}", "{env: hunter2}", "[hunter2]"])
    func `a secret in the wrong place is not repeated`(_ secret: String) throws {
        let result = try TemporaryFolder().load(
            "listeners: [{address: 127.0.0.1:1}]\n"
                + Self.endpoints.replacing("{env: SECRET}", with: secret))
        guard case .failure(let error) = result else {
            Issue.record("it loads")
            return
        }
        #expect(error.mistakes.count == 1, "\(error)")
        #expect(!"\(error)".contains("hunter2"))
    }
}
