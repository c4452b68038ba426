import Foundation
import TestSupport
import Testing

/// `ipnd simulate` and `ipnd send --simulator` with a sandbox and the real binaries.
@Suite(.ownThreads) struct SimulateCommandTests {
    private static let noPlay: [String] = []

    private func ipnd(_ world: World, _ arguments: [String]) throws -> Finished {
        try run(Binary.ipnd, arguments + ["--config", world.instance.configurationFile])
    }

    /// As in two terminals: a payment whose notification was lost is found by an inquiry.
    @Test(arguments: World.endpoints)
    func `a lost payment is found by asking`(_ endpoint: String) throws {
        let world = try World(Self.noPlay)
        let simulator = "http://127.0.0.1:\(world.simulatorPort)"
        let unknown = try ipnd(world, ["inquire", "LOST-1", "--endpoint", endpoint])
        #expect(unknown.status == 1 && unknown.output.contains("absent"), "\(unknown)")
        let sent = try ipnd(
            world,
            [
                "send", "--endpoint", endpoint, "--reference", "LOST-2", "--scenario", "refund",
                "--simulator", simulator, "--lose",
            ])
        #expect(sent.status == 0 && sent.output.contains("LOST-2"), "\(sent)")
        let asked = try ipnd(world, ["inquire", "LOST-2", "--endpoint", endpoint])
        #expect(asked.status == 0, "\(asked)")
        // Citcon Pay answers with a total instead of refunds, so the refunded sum is uncertain.
        let status = endpoint == "citcon-pay" ? "review" : "refunded"
        let order = try #require(try world.instance.order(endpoint, "LOST-2"))
        #expect(order["status"] as? String == status, "\(order)")
        #expect(
            asked.output.contains("the answer is not signed")
                == !["antom", "ecommpay"].contains(endpoint))
    }

    /// Notifications and answers come from the same state: a later inquiry brings nothing new.
    @Test func `what was sent is answered likewise`() throws {
        let world = try World(Self.noPlay)
        let simulator = "http://127.0.0.1:\(world.simulatorPort)"
        for endpoint in World.endpoints {
            let sent = try ipnd(
                world,
                [
                    "send", "--endpoint", endpoint, "--reference", "S-1", "--scenario",
                    "failed-then-paid", "--simulator", simulator,
                ])
            #expect(sent.status == 0, "\(sent)")
            let asked = try ipnd(world, ["inquire", "S-1", "--endpoint", endpoint])
            #expect(asked.status == 0 && asked.output.contains("the order is paid"), "\(asked)")
        }
        for truth in try world.truths() {
            let order = try #require(try world.instance.order(truth.endpoint, truth.reference))
            #expect(truth.complaint(about: order) == nil)
        }
    }

    @Test func `without a simulator the commands say what is missing`() throws {
        let instance = try Instance()
        let port = try FreePort.take()
        let sent = try run(
            Binary.ipnd,
            [
                "send", "--config", instance.configurationFile, "--endpoint", "antom", "--url",
                "http://127.0.0.1:\(instance.port)", "--simulator", "http://127.0.0.1:\(port)",
            ])
        #expect(sent.status == 78 && sent.errors.contains("Is `ipnd simulate` running?"))
        let played = try run(
            Binary.ipnd, ["simulate", "--config", instance.configurationFile])
        #expect(played.status == 78 && played.errors.contains("--endpoint"), "\(played)")
        for options in [["--loss", "2"], ["--scenario", "wrong-key"], ["--count", "-1"]] {
            let wrong = try run(
                Binary.ipnd,
                ["simulate", "--config", instance.configurationFile] + options)
            #expect(wrong.status == 64, "\(wrong)")
        }
    }

    @Test func `what a provider cannot report is not played`() throws {
        let instance = try Instance(starts: false)
        let refused = try run(
            Binary.ipnd,
            [
                "simulate", "--endpoint", "square", "--scenario", "expired", "--count", "1",
                "--url", "http://127.0.0.1:1", "--config", instance.configurationFile,
            ])
        #expect(refused.status == 64)
        #expect(refused.errors.contains("Square sends no notification for expired"))
    }

    /// The same seed gives the same final state, whatever happens in between.
    @Test func `the same seed gives the same truth`() throws {
        let options = [
            "--count", "20", "--rate", "1000", "--speed", "100000", "--seed", "5", "--prefix", "P",
            "--loss", "0.3",
        ]
        let lines = try (0..<2).map { _ in
            let world = try World(options)
            #expect(try eventually { try world.progress().isOver })
            return try world.truths().map {
                "\($0.endpoint) \($0.reference) \($0.status) \($0.authorized) \($0.captured) "
                    + "\($0.refunded) \($0.attempts)"
            }.sorted()
        }
        #expect(lines[0] == lines[1] && lines[0].count == 20 * World.players.count)
    }
}
