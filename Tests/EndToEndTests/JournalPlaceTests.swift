import Foundation
import TestSupport
import Testing

/// One journal has one server, whatever is done to its files, and lost history is always detected.
@Suite(.ownThreads) struct JournalPlaceTests {
    private static func send(_ reference: String, to instance: Instance) throws -> Int {
        let client = try instance.client()
        try client.send(try SignedWebhook(instance).request(reference))
        return try client.receive().status
    }

    /// The message and exit status of `serve` when it does not start.
    private static func refusal(
        _ instance: Instance, _ arguments: [String] = []
    ) throws -> Finished {
        try refusedStart(instance.configurationFile, arguments)
    }

    @Test func `a second server is refused though the lock file is gone`() throws {
        let instance = try Instance()
        #expect(try Self.send("L-1", to: instance) == 200)
        try FileManager.default.removeItem(atPath: "\(instance.journal)/lock")
        let second = try Self.refusal(instance)
        #expect(second.status == 72)
        #expect(
            second.errors.contains(
                "in use by process \(instance.process.processIdentifier) (ipnd)"),
            "\(second.errors)")
        #expect(try Self.send("L-2", to: instance) == 200)
        instance.stop()
        try instance.start()
        #expect(try instance.references() == ["L-1", "L-2"])
    }

    @Test(arguments: ["moved", "replaced"])
    func `a server whose directory was displaced ends with 72`(_ displacement: String) throws {
        let instance = try Instance()
        #expect(try Self.send("M-1", to: instance) == 200)
        let aside = "\(instance.folder)/aside"
        try FileManager.default.moveItem(atPath: instance.journal, toPath: aside)
        if displacement == "replaced" {
            try FileManager.default.createDirectory(
                atPath: instance.journal, withIntermediateDirectories: false)
        }
        let client = try instance.client()
        try client.send(try SignedWebhook(instance).request("M-2"))
        #expect(throws: Client.ConnectionClosed.self) { try client.receive() }
        try #require(eventually { !instance.process.isRunning })
        #expect(instance.waitForEnd() == 72)
        #expect(instance.says("journal_displaced: \(instance.journal)"))

        // It does not silently start a new journal either.
        let restarted = try Self.refusal(instance)
        #expect(restarted.status == 72)
        #expect(restarted.errors.contains("journal_absent"), "\(restarted.errors)")
        #expect(restarted.errors.contains("--new-journal"))
        try? FileManager.default.removeItem(atPath: instance.journal)
        try FileManager.default.moveItem(atPath: aside, toPath: instance.journal)
        try instance.start()
        #expect(try instance.references().first == "M-1")
    }

    /// Duplicates write nothing, so no commit detects that the journal is gone.
    @Test func `duplicates alone are not acknowledged for long by a displaced server`() throws {
        let instance = try Instance()
        #expect(try Self.send("D-1", to: instance) == 200)
        // The idle marker is written, so no write is pending.
        let follow = try run(
            Binary.ipnd, ["journal", "cat", instance.journal, "--follow", "--limit", "1"])
        #expect(follow.status == 0)
        try FileManager.default.moveItem(
            atPath: instance.journal, toPath: "\(instance.folder)/aside")
        let request = try SignedWebhook(instance).request("D-1")
        let hasEnded = eventually {
            guard let client = try? instance.client() else { return true }
            guard (try? client.send(request)) != nil else { return true }
            return (try? client.receive()) == nil
        }
        #expect(hasEnded)
        try #require(eventually { !instance.process.isRunning })
        #expect(instance.waitForEnd() == 72)
    }

    enum Loss: String, CaseIterable { case emptied, removed, emptiedWithIndex, allButConfiguration }

    @Test(arguments: Loss.allCases)
    func `an emptied journal is not begun anew in silence`(_ loss: Loss) throws {
        let instance = try Instance()
        for number in 1...3 { #expect(try Self.send("E-\(number)", to: instance) == 200) }
        let store = try Self.store(instance)
        instance.stop(SIGKILL)
        try FileManager.default.removeItem(atPath: instance.journal)
        if loss != .removed && loss != .allButConfiguration {
            try FileManager.default.createDirectory(
                atPath: instance.journal, withIntermediateDirectories: false)
        }
        if loss == .emptiedWithIndex || loss == .allButConfiguration {
            try? FileManager.default.removeItem(atPath: "\(instance.folder)/index")
        }
        if loss == .allButConfiguration {
            // As if the whole data folder were not mounted.
            try FileManager.default.removeItem(atPath: instance.journal + ".store")
        }
        let refused = try Self.refusal(instance)
        #expect(refused.status == 72)
        #expect(refused.errors.contains(store), "\(refused.errors)")
        let verified = try run(Binary.ipnd, ["journal", "verify", instance.journal])
        #expect(verified.status != 0 && !verified.output.contains("intact"))

        try instance.start(["--new-journal"])
        let new = try Self.store(instance)
        #expect(new != store)
        // A consumer of the old journal gets an error instead of waiting.
        let admin = try instance.admin()
        #expect(try admin.get("/events?after=3").code == "position_ahead")
        #expect(try admin.get("/events?after=0&store=\(store)").code == "store_changed")
        #expect(try admin.get("/events?after=0&store=\(new)").status == 200)
        instance.stop()
        // The option is needed only once.
        try instance.start()
        #expect(try Self.store(instance) == new)
    }

    @Test func `an older copy is noticed and gets another identity`() throws {
        let instance = try Instance()
        #expect(try Self.send("O-1", to: instance) == 200)
        instance.stop()
        let copy = "\(instance.folder)/copy"
        try FileManager.default.copyItem(atPath: instance.journal, toPath: copy)
        try instance.start()
        let store = try Self.store(instance)
        for number in 2...4 { #expect(try Self.send("O-\(number)", to: instance) == 200) }
        #expect(
            try eventually {
                try instance.admin().get("/orders").object()["indexed"] as? Int == 4
            })
        // Killed, so that only the index has the position.
        instance.stop(SIGKILL)
        try FileManager.default.removeItem(atPath: instance.journal)
        try FileManager.default.moveItem(atPath: copy, toPath: instance.journal)
        let refused = try Self.refusal(instance)
        #expect(refused.status == 72)
        #expect(refused.errors.contains("journal_behind"), "\(refused.errors)")
        #expect(refused.errors.contains("4 records"), "\(refused.errors)")
        try instance.start(["--new-journal"])
        #expect(try Self.store(instance) != store)
        #expect(try instance.references() == ["O-1"])
        let verified = try run(Binary.ipnd, ["journal", "verify", instance.journal])
        #expect(verified.status == 0, "\(verified.errors)")
    }

    @Test func `another journal in its place is refused`() throws {
        let (instance, other) = (try Instance(), try Instance())
        #expect(try Self.send("A-1", to: instance) == 200)
        #expect(try Self.send("B-1", to: other) == 200)
        instance.stop()
        other.stop()
        try FileManager.default.removeItem(atPath: instance.journal)
        try FileManager.default.copyItem(atPath: other.journal, toPath: instance.journal)
        let refused = try Self.refusal(instance)
        #expect(refused.status == 72)
        #expect(refused.errors.contains("journal_replaced"), "\(refused.errors)")
    }

    @Test func `what is no journal is not intact`() throws {
        let temporary = TemporaryFolder()
        defer { withExtendedLifetime(temporary) {} }
        let folder = temporary.path
        let empty = try run(Binary.ipnd, ["journal", "verify", folder])
        #expect(empty.status == 66 && empty.output == "", "\(empty.output)\(empty.errors)")
        try "x".write(toFile: "\(folder)/0000000009.snapshot", atomically: true, encoding: .utf8)
        let gone = try run(Binary.ipnd, ["journal", "verify", folder])
        #expect(gone.status == 72 && !gone.output.contains("intact"))
    }

    /// The identity in `journal stat`, the feed, the stream and the metrics.
    @Test func `the identity is told everywhere`() throws {
        let instance = try Instance()
        let store = try Self.store(instance)
        let stat = try run(Binary.ipnd, ["journal", "stat", instance.journal, "--json"])
        #expect(stat.output.contains("\"store\":\"\(store)\""))
        let admin = try instance.admin()
        #expect(
            try admin.get("/metrics").body.contains("ipnd_store_info{store=\"\(store)\"} 1\n"))
        #expect(store.count == 32)
    }

    /// The first segment is gone, and `identity` records that retention deleted it.
    @Test func `the feed says what retention has deleted`() throws {
        let instance = try Instance(edit: {
            $0.replacingOccurrences(
                of: "journal: {directory: journal}",
                with: "journal: {directory: journal, segmentMiB: 2, retainDays: 1, "
                    + "archive: delete, snapshotRecords: 1}\nlimits: {bodyBytesMax: 262144}")
        })
        let webhook = try SignedWebhook(instance)
        let client = try instance.client()
        for number in 1...45 {
            try client.send(webhook.request("GAP-\(number)", padding: 100_000))
            #expect(try client.receive().status == 200)
        }
        instance.stop()
        let first = "\(instance.journal)/0000000001.segment"
        let files = FileManager.default
        let second = try #require(
            try files.contentsOfDirectory(atPath: instance.journal)
                .filter { $0.hasSuffix(".segment") }.sorted().dropFirst().first)
        let begins = try #require(Int(second.prefix(10)))
        try files.removeItem(atPath: first)
        #expect(try Self.refusal(instance).errors.contains("journal_segment_missing"))
        // Without the file the deletions of retention are unknown, and the existing segments count.
        try files.removeItem(atPath: "\(instance.journal)/identity")
        try instance.start()
        let page = try instance.admin().get("/events?after=0&limit=1").object()
        let gap = try #require(page["gap"] as? [String: Int])
        #expect(gap == ["from": 1, "to": begins - 1])
    }

    private static func store(_ instance: Instance) throws -> String {
        try #require(try instance.admin().get("/events").object()["store"] as? String)
    }
}
