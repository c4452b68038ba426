import Foundation
import ProviderFixtures
import Providers
import TestSupport
import Testing

/// `ipnd add` on a hand-written configuration.
@Suite(.ownThreads) struct AddCommandTests {
    private let temporary = TemporaryFolder()
    private var file: String { "\(temporary.path)/ipnd.yaml" }

    private static let text = """
        # Our shop.
        listeners: [{address: "127.0.0.1:0"}]   # behind nginx
        journal: {directory: journal}
        endpoints:
            -   name: first          # an odd layout
                path: "/ipn/first"
                provider: 'citcon-pay'
                secrets: [{file: secrets/first}]

        # What is written to standard error.
        log: {level: info}

        """

    private func prepare(_ text: String = text) throws {
        try temporary.write("ipnd.yaml", text)
        try FileManager.default.createDirectory(
            atPath: "\(temporary.path)/secrets", withIntermediateDirectories: true)
        try temporary.write("secrets/first", "one")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: "\(temporary.path)/secrets/first")
    }

    /// The option and the file with a credential as the provider's dashboard shows it, from a
    /// sandbox, and its file after `ipnd add`; no file where the endpoint holds none.
    private func credential(
        _ fixture: ProviderFixture, _ sandbox: String
    ) -> (options: [String], file: String?) {
        let name = fixture.descriptor.sandboxName
        return switch fixture.descriptor.credential {
        case .rsaKeyPair: (["--public-key", "\(sandbox)/keys/\(name).pem"], "keys/\(fixture).pem")
        case .secret: (["--secret-file", "\(sandbox)/secrets/\(name)"], "secrets/\(fixture)")
        case .certificate: ([], nil)
        }
    }

    @Test func everyProviderIsAddedAndNothingElseChanges() throws {
        try prepare()
        let sandbox = "\(temporary.path)/sandbox"
        #expect(try run(Binary.ipnd, ["init", sandbox]).status == 0)
        for provider in ProviderFixture.all {
            let credential = credential(provider, sandbox)
            let before = try String(contentsOfFile: file, encoding: .utf8)
            let added = try run(
                Binary.ipnd,
                ["add", provider.name, "--config", file, "--public-url", "https://pay.example"]
                    + provider.addOptions + credential.options)
            #expect(added.status == 0, "\(provider): \(added)")
            #expect(added.output.contains("https://pay.example/ipn/\(provider)"))
            let after = try String(contentsOfFile: file, encoding: .utf8)
            let mark = "\n\n# What is written"
            let parts = before.components(separatedBy: mark)
            #expect(after.hasPrefix(parts[0]) && after.hasSuffix(mark + parts[1]), "\(after)")
            #expect(after.contains("\n    - name: \(provider)\n"))
            guard let written = credential.file else { continue }
            let attributes = try FileManager.default.attributesOfItem(
                atPath: "\(temporary.path)/\(written)")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        let check = try run(Binary.ipnd, ["check", "--config", file])
        #expect(check.status == 0, "\(check)")
        for provider in ProviderFixture.all { #expect(check.output.contains(provider.name)) }
        let files = try FileManager.default.contentsOfDirectory(atPath: temporary.path)
        #expect(!files.contains { $0.contains(".new") })
    }

    @Test func aResultThatWouldNotStartChangesNothing() throws {
        try prepare()
        try temporary.write("short", "abc")
        let wrong: [(arguments: [String], status: Int32, words: String)] = [
            (["opp", "--secret-file", "\(temporary.path)/short"], 78, "nothing was changed"),
            (
                ["citcon-pay", "--path", "/ipn/first", "--secret-file", "\(temporary.path)/short"],
                78, "nothing was changed"
            ),
            (
                ["citcon-pay", "--name", "first", "--secret-file", "\(temporary.path)/short"], 64,
                "already has an endpoint"
            ),
            (["citcon-pay"], 64, "give --secret-file"),
            (["citcon-pay", "--secret-file", "\(temporary.path)/none"], 66, "does not exist"),
            (["antum"], 64, "did you mean `antom`?"),
            (["hmac", "--field", "refrence=/a"], 64, "did you mean `reference`?"),
        ]
        for (arguments, status, words) in wrong {
            let added = try run(Binary.ipnd, ["add"] + arguments + ["--config", file])
            #expect(added.status == status, "\(arguments): \(added)")
            #expect(added.errors.contains(words), "\(arguments): \(added)")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == Self.text)
        }
        let secrets = try FileManager.default.contentsOfDirectory(
            atPath: "\(temporary.path)/secrets")
        #expect(secrets == ["first"])
    }

    /// On a terminal it prompts and does not echo the secret.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
    func itAsksOnATerminal() throws {
        try prepare()
        let command = "\"\(Binary.ipnd)\" add ecommpay --config \(file)"
        let answers = "eco\\n\\n115\\nmy-secret\\n"
        let asked = try run(
            "/bin/sh", ["-c", "printf '\(answers)' | script -qec '\(command)' /dev/null"])
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("- name: eco\n      path: /ipn/eco\n"), "\(asked)")
        let secret = try String(contentsOfFile: "\(temporary.path)/secrets/eco", encoding: .utf8)
        #expect(secret == "my-secret\n")
        #expect(asked.output.contains("not shown"))
    }
}
