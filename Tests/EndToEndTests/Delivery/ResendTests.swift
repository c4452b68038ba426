import Foundation
import TestSupport
import Testing

/// `ipnd deliveries resend`, its route and its button.
@Suite(.ownThreads) struct ResendTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private let folder = TemporaryFolder()

    private func instance(
        _ receiver: HookReceiver, on storage: StorageKind, more: String = ""
    ) throws -> Instance {
        let secret = folder.file("secret")
        return try Instance(
            on: storage,
            edit: { text in
                text + "\ndestinations:\n  - {name: shop, "
                    + "url: \"http://127.0.0.1:\(receiver.port)/\", "
                    + "secrets: [{file: \(secret)}], retrySeconds: [0.01]\(more)}\n"
            })
    }

    private func receiver() throws -> HookReceiver {
        _ = try folder.write("secret", Self.secret + "\n")
        return try HookReceiver(["--secret-file", folder.file("secret")])
    }

    /// The sequences that a receiver has taken, in order.
    private static func taken(_ receiver: HookReceiver) -> [Int] {
        receiver.output.split(separator: "\n").dropFirst().compactMap { line in
            let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return object?["sequence"] as? Int
        }
    }

    /// Whether the receiver has taken these, and ipnd has its answers: what is in flight is not
    /// delivered again.
    private static func isDelivered(
        _ instance: Instance, _ receiver: HookReceiver, _ isTaken: ([Int]) -> Bool
    ) throws -> Bool {
        try eventually {
            let open = try ["in_flight", "waiting_events"].map {
                try instance.metric("ipnd_delivery_\($0){destination=\"shop\"}")
            }
            return isTaken(taken(receiver)) && open == [0, 0]
        }
    }

    private static func resend(_ instance: Instance, _ arguments: String...) throws -> Finished {
        try run(
            Binary.ipnd,
            [
                "deliveries", "resend", "--config", instance.configurationFile, "--url",
                "http://127.0.0.1:\(instance.adminPort)",
            ] + arguments)
    }

    private static func deliver(_ references: [String], to instance: Instance) throws {
        let antom = try SandboxProvider("antom", of: instance)
        for (number, reference) in references.enumerated() {
            try instance.deliver(
                antom.delivery(reference: reference, number: number + 1).request())
        }
    }

    @Test(arguments: StorageKind.all)
    func `one order a period or a filter is delivered again`(on storage: StorageKind) throws {
        let receiver = try receiver()
        let instance = try instance(receiver, on: storage)
        try Self.deliver(["A", "B", "C"], to: instance)
        #expect(
            try Self.isDelivered(instance, receiver) { Set($0) == [1, 2, 3] }, "\(receiver.output)")
        #expect(try Self.resend(instance).status == 64, "not the whole record by mistake")
        let counted = try Self.resend(instance, "--reference", "B", "--dry-run")
        #expect(counted.output == "Would deliver again 1 event.\n", "\(counted.errors)")
        let one = try Self.resend(instance, "--reference", "B", "--yes")
        #expect(one.output == "1 of 1 event are delivered again.\n", "\(one.errors)")
        #expect(try Self.isDelivered(instance, receiver) { $0.dropFirst(3) == [2] })
        let period = try Self.resend(
            instance, "--from", "2026-01-01T00:00:00Z", "--to", "2099-01-01T00:00:00Z",
            "--destination", "shop", "--endpoint", "antom", "--status", "paid", "--yes")
        #expect(period.output.contains("of 3 events"), "\(period.errors)")
        #expect(eventually { Set(Self.taken(receiver).dropFirst(4)) == [1, 2, 3] })
        for (filter, value) in [
            ("--from", "2099-01-01T00:00:00Z"), ("--to", "2001-01-01T00:00:00Z"),
            ("--endpoint", "opp"), ("--status", "refunded"), ("--reference", "D"),
            ("--sequence", "99"),
        ] {
            let none = try Self.resend(instance, filter, value, "--yes")
            #expect(none.output == "No events to deliver again.\n", "\(filter): \(none.errors)")
        }
        #expect(
            try Self.resend(instance, "--sequence", "1", "--destination", "x", "--yes").status != 0)
        // The act is in the record, with what was asked for.
        let act = try #require(
            instance.records().last {
                ($0["event"] as? [String: Any])?["kind"] as? String == "action"
            })
        #expect((act["event"] as? [String: Any])?["status"] as? String == "resend")
    }

    /// A new set of attempts, which a restart does not forget.
    @Test(arguments: StorageKind.all)
    func `what is delivered again is kept until it is delivered`(on storage: StorageKind) throws {
        let first = try receiver()
        let instance = try instance(first, on: storage)
        try Self.deliver(["A"], to: instance)
        #expect(eventually { Self.taken(first) == [1] })
        // The records must be known as delivered, or the restart alone would repeat them.
        #expect(instance.stop() == 0)
        first.stop()
        try instance.start()
        let admin = try instance.admin()
        let answer = try admin.post("/deliveries/resend?reference=A", "{}").object()
        #expect(answer["matched"] as? Int == 1 && answer["changed"] as? Int == 1)
        #expect(try eventually { try admin.get("/deliveries").body.contains("\"sequence\":1") })
        #expect(instance.stop() == 0)
        let second = try HookReceiver(
            ["--secret-file", folder.file("secret")], port: first.port)
        try instance.start()
        #expect(
            try eventually {
                _ = try instance.admin().post("/deliveries/retry?state=waiting", "{}")
                _ = try instance.admin().post("/deliveries/retry", "{}")
                return Self.taken(second) == [1]
            })
    }

    @Test func `an order's page delivers it again`() throws {
        let receiver = try receiver()
        let instance = try instance(receiver, on: .journal)
        try Self.deliver(["A"], to: instance)
        #expect(try Self.isDelivered(instance, receiver) { $0 == [1] })
        let visitor = try PageSessionTests.visitor(instance)
        #expect(try visitor.get("/ui/orders/antom/A").body.contains("Deliver again"))
        let answer = try visitor.post("/ui/orders/antom/A/resend")
        #expect(answer.status == 303 && answer.fields["location"]?.contains("resent") == true)
        #expect(eventually { Self.taken(receiver) == [1, 1] })
    }
}
