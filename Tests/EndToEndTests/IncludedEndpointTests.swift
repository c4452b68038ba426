import Foundation
import TestSupport
import Testing

/// `ipnd add` in a folder of `ipnd init`: each endpoint is a file that the configuration includes.
@Suite(.ownThreads) struct IncludedEndpointTests {
    private func add(_ name: String, to instance: Instance) throws -> Finished {
        let secret = "\(instance.folder)/shown-once"
        try "secret-of-\(name)\n".write(toFile: secret, atomically: true, encoding: .utf8)
        return try run(
            Binary.ipnd,
            [
                "add", "citcon-upi", "--config", instance.configurationFile, "--name", name,
                "--secret-file", secret, "--public-url", "https://pay.example",
            ])
    }

    private func send(to endpoint: String, _ instance: Instance) throws -> Finished {
        try run(
            Binary.ipnd,
            [
                "send", "--config", instance.configurationFile, "--endpoint", endpoint, "--url",
                "http://127.0.0.1:\(instance.port)", "--reference", "R-\(endpoint)", "--to-live",
            ])
    }

    /// The status of the answer to an empty request.
    private func answers(at path: String, _ instance: Instance) throws -> Int {
        let client = try instance.client()
        try client.send("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        return try client.receive().status
    }

    private func paid(_ endpoint: String, _ instance: Instance) throws -> String? {
        try instance.order(endpoint, "R-\(endpoint)")?["status"] as? String
    }

    @Test func `an added endpoint is checked, served and taken up by a reload`() throws {
        let instance = try Instance(starts: false)
        let before = try String(contentsOfFile: instance.configurationFile, encoding: .utf8)
        #expect(before.contains("\ninclude: endpoints.d/*.yaml\n"))
        let added = try add("second", to: instance)
        #expect(added.status == 0, "\(added)")
        #expect(
            added.output.contains(
                "Added second to \(instance.configurationFile); wrote endpoints.d/second.yaml and "
                    + "secrets/second.\n"))
        #expect(added.output.contains("https://pay.example/ipn/second"))
        #expect(
            try String(contentsOfFile: instance.configurationFile, encoding: .utf8) == before)
        let check = try run(Binary.ipnd, ["check", "--config", instance.configurationFile])
        #expect(check.status == 0, "\(check)")
        let file = "\(instance.folder)/endpoints.d/second.yaml"
        #expect(check.output.contains("second: POST /ipn/second, citcon-upi"))
        #expect(check.output.contains("included from \(file)"))

        try instance.start()
        #expect(try send(to: "second", instance).status == 0)
        #expect(try paid("second", instance) == "paid")

        #expect(try add("third", to: instance).status == 0)
        #expect(try send(to: "third", instance).status != 0)
        instance.process.signal(SIGHUP)
        #expect(instance.says("reloaded"), "\(instance.logText)")
        #expect(try send(to: "third", instance).status == 0)
        #expect(try paid("third", instance) == "paid")

        // A mistake in one file refuses the reload, and is named.
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try text.replacing("path:", with: "pth:")
            .write(toFile: file, atomically: true, encoding: .utf8)
        instance.process.signal(SIGHUP)
        #expect(instance.says("\(file):2:1: pth: this key is unknown; did you mean `path`?"))
        let wrong = try run(Binary.ipnd, ["check", "--config", instance.configurationFile])
        #expect(wrong.status == 78 && wrong.errors.contains("\(file):2:1: pth"), "\(wrong)")
        try FileManager.default.removeItem(atPath: file)
        #expect(try send(to: "third", instance).status == 0)
        instance.process.signal(SIGHUP)
        #expect(eventually { (try? self.answers(at: "/ipn/second", instance)) == 404 })
        #expect(instance.stop() == 0)
    }

    @Test func `the name of an included endpoint is taken`() throws {
        let instance = try Instance(starts: false)
        #expect(try add("second", to: instance).status == 0)
        let again = try add("second", to: instance)
        #expect(again.status == 64 && again.errors.contains("already has an endpoint second"))
        let mistyped = try run(
            Binary.ipnd,
            ["send", "--config", instance.configurationFile, "--endpoint", "secnd", "--to-live"])
        #expect(mistyped.status != 0 && mistyped.errors.contains("second"), "\(mistyped)")
    }
}
