import Bytes
import TestSupport
import Testing

@testable import ServerConfiguration

private func text(_ keys: String) -> String {
    """
    listeners: [{address: 127.0.0.1:1}]
    journal: {directory: journal}
    endpoints: [{name: a, path: /a, provider: citcon-upi, secrets: [{file: secrets/citcon}]}]
    personal:
      masterKeys: \(keys)

    """
}

@Suite struct MasterKeyConfigurationTests {
    private static let digits = String(repeating: "0a", count: 32)

    /// The mistakes of a configuration, or its description.
    private func load(
        _ keys: String, environment: [String: String] = [:]
    ) throws -> Result<Configuration, any Error> {
        let folder = try TemporaryFolder.filled()
        _ = try folder.write("secrets/master", Self.digits + "\n")
        _ = try folder.write("secrets/short", "abc\n")
        switch try folder.load(text(keys), environment: environment) {
        case .success(let configuration): return .success(configuration)
        case .failure(let error): return .failure(error)
        }
    }

    @Test func `keys come from a file, a variable, a credential and a command`() throws {
        let credentials = TemporaryFolder()
        _ = try credentials.write("ipnd-master", Base64.encode([UInt8](repeating: 7, count: 32)))
        let configuration = try load(
            """
            [{name: now, key: {file: secrets/master}}, {name: "2026-10", key: {env: MASTER}},
             {name: unit, key: {credential: ipnd-master}},
             {name: vault, key: {command: [/bin/echo, \(Self.digits.replacing("0a", with: "0b"))]}}]
            """,
            environment: [
                "MASTER": Self.digits.replacing("0a", with: "0c"),
                "CREDENTIALS_DIRECTORY": credentials.path,
            ]
        ).get()
        let personal = configuration.personal
        #expect(personal.masterKeys.map(\.name) == ["now", "2026-10", "unit", "vault"])
        let described = configuration.describe()
        #expect(described.contains("records are sealed, master key now, file "))
        #expect(described.contains("master key unit, credential ipnd-master"))
        #expect(described.contains("master key vault, command /bin/echo"))
        #expect(!described.contains("0a0a") && !described.contains("0b0b"))
    }

    @Test(arguments: [
        ("[]", "is empty"), ("[{name: a}]", "key"), ("[{key: {file: secrets/master}}]", "name"),
        ("[{name: a b, key: {file: secrets/master}}]", "is not a name"),
        ("[{name: a, key: {file: secrets/short}}]", "no key of 32 bytes"),
        ("[{name: a, key: {file: secrets/none}}]", "does not exist"),
        ("[{name: a, key: {env: NONE}}]", "is not set"),
        ("[{name: a, key: {credential: none}}]", "there is no credential"),
        ("[{name: a, key: {command: [/bin/false]}}]", "the command failed: /bin/false"),
        ("[{name: a, key: {command: [/bin/sh, -c, 'echo no >&2; exit 3']}}]", "exit status 3: no"),
        ("[{name: a, key: {command: [cat]}}]", "does not begin with a path"),
        ("[{name: a, key: {command: [/bin/true]}}]", "no key of 32 bytes"),
        ("[{name: a, key: {file: x, command: [/bin/true]}}]", "more than one source"),
        ("[{name: a, key: 0123}]", "not a reference"),
        (
            "[{name: a, key: {file: secrets/master}}, {name: a, key: {file: secrets/master}}]",
            "is the name of two keys"
        ),
    ])
    func `a mistake is named`(_ keys: String, _ part: String) throws {
        guard case .failure(let error) = try load(keys) else {
            Issue.record("no mistake was found")
            return
        }
        #expect("\(error)".contains(part), "\(error)")
        #expect(!"\(error)".contains("0a0a"))
    }
}
