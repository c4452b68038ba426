import Foundation
import TestSupport
import Testing

/// Commands without `--config`, and with mistyped words.
@Suite(.ownThreads) struct UsualConfigurationTests {
    @Test func `the variable names the configuration`() throws {
        let instance = try Instance(starts: false)
        let named = try run(
            Binary.ipnd, ["check"], environment: ["IPND_CONFIG": instance.configurationFile])
        #expect(named.status == 0 && named.output.contains(instance.configurationFile))
        let other = try run(
            Binary.ipnd, ["check", "--config", "/nonexistent.yaml"],
            environment: ["IPND_CONFIG": instance.configurationFile])
        #expect(other.status == 78 && other.errors.hasPrefix("/nonexistent.yaml"))
        let help = try run(
            Binary.ipnd, ["check", "--help"], environment: ["IPND_CONFIG": "/a/b.yaml"])
        #expect(help.output.contains("(default: /a/b.yaml)"))
    }

    /// The system's file is used wherever the command runs, in the folder of a sandbox too.
    @Test func `the system's configuration is the usual one`() throws {
        let instance = try Instance(starts: false)
        let script =
            "mount -t tmpfs tmpfs /etc && mkdir /etc/ipnd && cp -r \(instance.folder)/. /etc/ipnd"
            + " && cd \(instance.folder)"
        // Without user namespaces there is no /etc of our own.
        guard let mounted = SystemTools.ownMounts(script) else { return }
        let command = mounted + [Binary.ipnd, "check"]
        let found = try run(command[0], Array(command.dropFirst()))
        #expect(found.status == 0, "\(found.errors)")
        #expect(found.output.contains("/etc/ipnd/ipnd.yaml"))
    }

    @Test(arguments: [
        (["sned"], "did you mean `send`?"), (["help", "nope"], "there is no command “nope”"),
        (["journal", "ca", "x"], "did you mean `cat`?"),
    ])
    func `a mistyped command is status 64`(_ words: [String], _ remedy: String) throws {
        let finished = try run(Binary.ipnd, words)
        #expect(finished.status == 64 && finished.output.isEmpty)
        #expect(finished.errors.contains(remedy), "\(finished.errors)")
    }

    /// A mistyped reason would look like good news.
    @Test func `a reason that is none is a mistake even if nothing was refused`() throws {
        let instance = try Instance(starts: false)
        let file = ["--config", instance.configurationFile]
        let mistyped = try run(Binary.ipnd, ["rejections", "--reason", "signature_mismach"] + file)
        #expect(mistyped.status == 64)
        #expect(mistyped.errors.contains("did you mean `signature_mismatch`?"))
        let none = try run(Binary.ipnd, ["rejections", "--reason", "signature_mismatch"] + file)
        #expect(none.status == 0 && none.output.contains("No requests were refused"))
    }

    @Test func `init and serve tell where the pages are`() throws {
        let folder = TemporaryFolder()
        let made = try run(Binary.ipnd, ["init", folder.file("s"), "--admin", "127.0.0.1:9444"])
        #expect(made.output.contains("Pages: http://127.0.0.1:9444/ui/"))
        #expect(made.output.contains("\(folder.path)/s/secrets/admin-token"))
        let instance = try Instance()
        #expect(instance.says("pages for people at http://127.0.0.1:\(instance.adminPort)/ui/"))
    }

    /// A folder that does not exist is not a damaged journal.
    @Test(arguments: [
        ["journal", "cat"], ["journal", "stat"], ["journal", "verify"], ["orders", "--journal"],
        ["events", "--journal"], ["rejections", "--directory"],
    ])
    func `what does not exist is status 66`(_ command: [String]) throws {
        let finished = try run(Binary.ipnd, command + ["/nonexistent/x"])
        #expect(finished.status == 66, "\(finished.errors)")
        #expect(finished.errors.contains("/nonexistent/x"))
    }
}
