import Foundation
import TestSupport
import Testing

/// `ipnd deliveries` and its routes.
@Suite(.ownThreads) struct DeliveriesCommandTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private let folder = TemporaryFolder()

    /// A destination that rejects every event.
    private func start() throws -> (instance: Instance, port: UInt16, secret: String) {
        let secret = try folder.write("secret", Self.secret + "\n")
        let port = try FreePort.take()
        let instance = try Instance(edit: { text in
            text.replacing(
                "admin: {address: \"127.0.0.1:0\"",
                with: "admin: {address: \"unix:\(folder.path)/admin\"")
                + "\ndestinations:\n  - {name: shop, url: \"http://127.0.0.1:\(port)/\", "
                + "secrets: [{file: \(secret)}], retrySeconds: [0.01], breakerSeconds: 0.1}\n"
        })
        return (instance, port, secret)
    }

    private func deliveries(_ instance: Instance, _ arguments: String...) throws -> Finished {
        try run(
            Binary.ipnd, ["deliveries"] + arguments + ["--config", instance.configurationFile])
    }

    @Test func `a dead letter is listed retried and told`() throws {
        let (instance, port, secret) = try start()
        let refusing = try HookReceiver(["--secret-file", secret, "--status", "422"], port: port)
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.pending, reference: "D-1").request())
        try instance.deliver(antom.delivery(.paid, reference: "D-1", number: 2).request())
        #expect(
            eventually {
                (try? deliveries(instance, "--state", "dead"))?.output.contains("D-1") == true
            },
            "\(instance.logText)")
        #expect(instance.says("event 1 of order antom/D-1 is a dead letter"))
        let list = try deliveries(instance, "list", "--reference", "D-1")
        #expect(list.output.contains("status_422") && list.output.contains("waiting"))
        #expect(try deliveries(instance, "test", "shop").status == 1)
        #expect(try deliveries(instance, "retry", "--dry-run").output == "Would retry 1 event.\n")
        #expect(try deliveries(instance, "retry").status == 64)
        refusing.stop()
        let taking = try HookReceiver(["--secret-file", secret], port: port)
        #expect(try deliveries(instance, "retry", "--yes").output == "1 of 1 event retried.\n")
        #expect(eventually { taking.output.contains(#""type":"order.paid""#) })
        #expect(try deliveries(instance, "test", "shop").status == 0)
        #expect(
            eventually {
                (try? deliveries(instance))?.output.contains("No deliveries are waiting.") == true
            })
    }

    /// One line at the first failure and one at the recovery; the page says what and how often.
    @Test func `a failing destination is seen`() throws {
        let secret = try folder.write("secret", Self.secret + "\n")
        let port = try FreePort.take()
        let instance = try Instance(edit: { text in
            text + "\ndestinations:\n  - {name: shop, url: \"http://127.0.0.1:\(port)/in?key=x\", "
                // No attempt but those that the test asks for.
                + "secrets: [{file: \(secret)}], retrySeconds: [100000]}\n"
        })
        let refusing = try HookReceiver(["--secret-file", secret, "--status", "422"], port: port)
        let antom = try SandboxProvider("antom", of: instance)
        for reference in ["F-1", "F-2"] {
            try instance.deliver(antom.delivery(reference: reference).request())
        }
        let visitor = try PageSessionTests.visitor(instance)
        #expect(
            try eventually { try visitor.get("/ui/destinations").body.contains("2 of 2 attempts") })
        let page = try visitor.get("/ui/destinations").body
        for words in ["Failing", "http://127.0.0.1:\(port)/in<", "422", "Last failure"] {
            #expect(page.contains(words), "\(words)")
        }
        #expect(!page.contains("key=x"))
        let answer = try instance.admin().get("/destinations").body
        #expect(answer.contains("\"failing\":true") && answer.contains("\"failed\":2"))
        refusing.stop()
        let taking = try HookReceiver(["--secret-file", secret], port: port)
        // The first retry may go over the connection of the receiver that has ended.
        #expect(
            try eventually {
                _ = try visitor.post("/ui/destinations/retry", "state=waiting")
                return instance.logText.contains("everything that had failed is delivered")
            }, "\(instance.logText)")
        let lines = instance.logText.split(separator: "\n")
        #expect(lines.count { $0.contains("destination shop: an attempt failed") } == 1)
        #expect(eventually { taking.output.contains("F-2") || taking.output.contains("sequence") })
        #expect(try !visitor.get("/ui/destinations").body.contains("Failing"))
    }

    /// Neither a restart nor a kill right after its begin changes where it began.
    @Test func `a new destination gets what is recorded from now on, or all of it if it says so`()
        throws
    {
        let secret = try folder.write("secret", Self.secret + "\n")
        let receivers = try (0..<2).map { _ in try HookReceiver(["--secret-file", secret]) }
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        for reference in ["OLD-1", "OLD-2"] {
            try instance.deliver(antom.delivery(.paid, reference: reference).request())
        }
        #expect(instance.stop() == 0)
        let text = try String(contentsOfFile: instance.configurationFile, encoding: .utf8)
        let destinations = zip(["new", "all"], zip(receivers, ["", ", from: beginning"])).map {
            "  - {name: \($0), url: \"http://127.0.0.1:\($1.0.port)/\", "
                + "secrets: [{file: \(secret)}]\($1.1)}\n"
        }
        try (text + "\ndestinations:\n" + destinations.joined())
            .write(toFile: instance.configurationFile, atomically: true, encoding: .utf8)
        let check = try run(Binary.ipnd, ["check", "--config", instance.configurationFile])
        let warning = "destinations[1].from: if all is new, 2 records from before may be delivered"
        #expect("\(check)".contains(warning), "\(check)")
        #expect(!"\(check)".contains("destinations[0]"))
        try instance.start()
        #expect(instance.says("begins after record 2; the 2 older records are not delivered"))
        instance.process.kill()
        try instance.start()
        try instance.deliver(antom.delivery(.paid, reference: "NEW-1").request())
        func references(_ receiver: HookReceiver) -> Set<String> {
            Set(["OLD-1", "OLD-2", "NEW-1"].filter { receiver.output.contains("\"\($0)\"") })
        }
        #expect(eventually { references(receivers[1]) == ["OLD-1", "OLD-2", "NEW-1"] })
        #expect(eventually { references(receivers[0]).contains("NEW-1") })
        #expect(references(receivers[0]) == ["NEW-1"], "\(receivers[0].output)")
    }

    /// The receiver has a different secret and says so in its answer.
    @Test func `the bounds of the configuration count`() throws {
        let secret = try folder.write("secret", Self.secret + "\n")
        let receiver = try HookReceiver([
            "--secret", "whsec_" + Data(repeating: 1, count: 32).base64EncodedString(),
        ])
        let instance = try Instance(edit: { text in
            text.replacing(
                "admin: {address: \"127.0.0.1:0\"",
                with: "admin: {address: \"unix:\(folder.path)/admin\"")
                + "\ndestinations:\n  - {name: shop, url: \"http://127.0.0.1:\(receiver.port)/\", "
                + "secrets: [{file: \(secret)}]}\ndelivery: {excerptBytesMax: 9}\n"
        })
        let short = try deliveries(instance, "test", "shop")
        #expect(short.output.contains("status_401"), "\(short)")
        #expect(short.output.hasSuffix("answer: signature\n"), "\(short)")
        #expect(instance.stop() == 0)
        let text = try String(contentsOfFile: instance.configurationFile, encoding: .utf8)
        try text.replacing("excerptBytesMax: 9", with: "answerBytesMax: 9")
            .write(toFile: instance.configurationFile, atomically: true, encoding: .utf8)
        try instance.start()
        let long = try deliveries(instance, "test", "shop")
        #expect(long.output.contains("answer_too_long"), "\(long)")
    }

    @Test func `a paused destination waits also after a restart`() throws {
        let (instance, port, secret) = try start()
        let receiver = try HookReceiver(["--secret-file", secret], port: port)
        #expect(try deliveries(instance, "pause", "shop").output == "shop: paused\n")
        #expect(instance.stop() == 0)
        try instance.start()
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.paid, reference: "P-1").request())
        #expect(try deliveries(instance).output.contains("paused"))
        #expect(!receiver.output.contains("P-1"))
        #expect(try deliveries(instance, "resume", "shop").output == "shop: delivering\n")
        #expect(eventually { receiver.output.contains("P-1") })
        for arguments in [["pause", "other"], ["list", "--destination", "other"]] {
            let wrong = try run(
                Binary.ipnd,
                ["deliveries"] + arguments + ["--config", instance.configurationFile])
            #expect(wrong.status == 64, "\(wrong)")
            #expect(wrong.errors.contains("shop"), "\(wrong)")
        }
    }

    /// The destination asked for a pause of an hour. Untried events are neither listed nor
    /// delivered.
    @Test func `a destination that asked for a pause is held`() throws {
        let (instance, port, secret) = try start()
        let receiver = try HookReceiver(
            ["--secret-file", secret, "--status", "503", "--retry-after", "3600"], port: port)
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.paid, reference: "H-1").request())
        #expect(eventually { receiver.output.contains("H-1") })
        #expect(
            eventually {
                (try? deliveries(instance))?.output.contains("held until 20") == true
            }, "\(instance.logText)")
        try instance.deliver(antom.delivery(.paid, reference: "H-2", number: 2).request())
        #expect(eventually { instance.logText.contains("H-2") })
        var list = try deliveries(instance, "list", "--reference", "H-2")
        #expect(
            eventually {
                list = (try? deliveries(instance, "list", "--reference", "H-2")) ?? list
                return list.output.contains("2 events not delivered in all")
            }, "\(list)")
        #expect(!list.output.contains("No deliveries are waiting"), "\(list)")
        let unasked = try deliveries(instance, "retry", "--state", "waiting")
        #expect(
            unasked.errors
                == "ipnd deliveries retry: use --yes: standard input is not a terminal\n",
            "\(unasked)")
        #expect(!receiver.output.contains("H-2"))
        // It is tried again and may have requested the next pause before the answer.
        let resumed = try deliveries(instance, "resume", "shop").output
        #expect(
            resumed == "shop: delivering\n" || resumed.hasPrefix("shop: held until 20"),
            "\(resumed)")
        #expect(eventually { receiver.output.contains("H-2") }, "\(receiver.output)")
    }
}
