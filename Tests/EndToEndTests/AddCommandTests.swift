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

    @Test func `every provider is added and nothing else changes`() throws {
        try prepare()
        let sandbox = "\(temporary.path)/sandbox"
        try Instance.template.get().copy(to: sandbox)
        try temporary.write("apiv3.key", "ipndVectorWechatApiV3KeyAAAA0001", mode: 0o600)
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

    @Test func `a result that would not start changes nothing`() throws {
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
    func `it asks on a terminal`() throws {
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

    /// Each answer is checked when it is given, and asked for again.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
    func `a wrong answer is explained and asked again`() throws {
        try prepare()
        let command = "\"\(Binary.ipnd)\" add ecommpay --config \(file)"
        let answers = "a/b\\nfirst\\neco\\nipn\\n\\nproject\\n115\\nmy-secret\\n"
        let asked = try run(
            "/bin/sh", ["-c", "printf '\(answers)' | script -qec '\(command)' /dev/null"])
        for words in [
            "is not a valid endpoint name", "already has an endpoint first",
            "a path begins with /", "a project's id is a number", "Added eco",
        ] { #expect(asked.output.contains(words), "\(words): \(asked.output)") }
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("projectID: 115"))
    }

    private static let two = """
        listeners: [{address: "127.0.0.1:0"}]
        journal: {directory: journal}
        endpoints:
          - {name: flow, path: /ipn/flow, provider: ecommpay, projectID: 7,
             secrets: [{file: secrets/first}]}
          - name: block            # our second shop
            path: "/ipn/block"
            provider: ecommpay
            projectID: '12'        # of the dashboard
            secrets:
              - file: secrets/first

        """

    @Test func `mending changes what is given and nothing else`() throws {
        try prepare(Self.two)
        try temporary.write("fresh", "another secret")
        func mend(_ name: String, _ options: [String]) throws -> Finished {
            try run(
                Binary.ipnd,
                ["add", "ecommpay", "--mend", "--name", name, "--config", file] + options)
        }
        let block = try mend("block", ["--project-id", "99", "--path", "/ipn/other"])
        #expect(block.status == 0, "\(block)")
        #expect(block.output.contains("projectID: 12 -> 99"))
        let flow = try mend("flow", ["--project-id", "8"])
        #expect(flow.status == 0, "\(flow)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let wanted = Self.two.replacing("'12'", with: "99").replacing(
            "projectID: 7", with: "projectID: 8"
        )
        .replacing("\"/ipn/block\"", with: "/ipn/other")
        #expect(text == wanted)
        // The secret is replaced in its file, and never shown.
        let secret = try mend("flow", ["--secret-file", "\(temporary.path)/fresh"])
        #expect(secret.status == 0 && secret.output.contains("key or secret: replaced"))
        #expect(!(secret.output + secret.errors).contains("another secret"))
        let held = try String(contentsOfFile: "\(temporary.path)/secrets/first", encoding: .utf8)
        #expect(held == "another secret\n")
        #expect(try mend("flow", []).output.contains("Nothing to change"))
    }

    @Test func `mending that would not start changes nothing`() throws {
        try prepare(Self.two)
        try temporary.write("fresh", "another secret")
        func mend(_ options: [String]) throws -> Finished {
            try run(Binary.ipnd, ["add", "ecommpay", "--config", file] + options)
        }
        let wrong = try mend([
            "--mend", "--name", "block", "--project-id", "seven", "--secret-file",
            "\(temporary.path)/fresh",
        ])
        #expect(wrong.status == 78 && wrong.errors.contains("is a number"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == Self.two)
        let held = try String(contentsOfFile: "\(temporary.path)/secrets/first", encoding: .utf8)
        #expect(held == "one")
        // Never a silent second endpoint, and never another provider's.
        let taken = try mend(["--name", "block", "--project-id", "1"])
        #expect(taken.status == 64 && taken.errors.contains("--mend changes it"))
        let unknown = try mend(["--mend", "--name", "blok"])
        #expect(unknown.status == 64 && unknown.errors.contains("did you mean `block`?"))
        let other = try run(
            Binary.ipnd, ["add", "antom", "--mend", "--name", "block", "--config", file])
        #expect(other.status == 64 && other.errors.contains("of the provider ecommpay"))
        let missing = try run(Binary.ipnd, ["add", "github", "--config", file])
        #expect(missing.errors.contains("ipnd add hmac"))
    }

    /// An endpoint that `ipnd add` wrote to a file of its own.
    @Test func `mending finds included endpoints`() throws {
        let sandbox = "\(temporary.path)/box"
        #expect(try run(Binary.ipnd, ["init", sandbox]).status == 0)
        let config = ["--config", "\(sandbox)/ipnd.yaml"]
        try temporary.write("fresh", "another secret")
        let added = try run(
            Binary.ipnd,
            [
                "add", "ecommpay", "--name", "shop-two", "--project-id", "3", "--secret-file",
                "\(temporary.path)/fresh",
            ] + config)
        #expect(added.status == 0, "\(added)")
        let mended = try run(
            Binary.ipnd,
            ["add", "ecommpay", "--mend", "--name", "shop-two", "--project-id", "4"] + config)
        #expect(mended.status == 0, "\(mended)")
        let text = try String(
            contentsOfFile: "\(sandbox)/endpoints.d/shop-two.yaml", encoding: .utf8)
        #expect(text.contains("projectID: 4"))
    }
}
