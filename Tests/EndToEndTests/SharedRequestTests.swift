import Foundation
import Providers
import TestSupport
import Testing

/// Requests with several events, to the real binary: all of them are recorded or none is.
@Suite(.ownThreads) struct SharedRequestTests {
    private let events = (1...3).map { GoCardlessBatch.event($0) }

    private func send(_ request: [UInt8], to instance: Instance) throws -> Int {
        let client = try instance.client()
        try client.send(request)
        return try client.receive().status
    }

    /// Whether the record is whole; the server must not run.
    private func verify(_ instance: Instance) throws {
        let verified =
            instance.database == nil
            ? try run(Binary.ipnd, ["journal", "verify", instance.journal])
            : try run(Binary.ipnd, ["database", "verify", "--config", instance.configurationFile])
        #expect(verified.status == 0, "\(verified)")
    }

    private func status(_ number: Int, at instance: Instance) throws -> String? {
        try instance.order("gocardless", "GC-\(number)")?["status"] as? String
    }

    @Test(arguments: StorageKind.all)
    func `three events are three orders and one request`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let batch = try GoCardlessBatch(instance)
        #expect(try send(batch.request(events), to: instance) == 204)
        for number in 1...3 { #expect(try status(number, at: instance) == "paid") }

        let records = try instance.records()
        let parts = records.compactMap { $0["part"] as? [String: Any] }
        #expect(parts.map { $0["number"] as? Int } == [1, 2, 3])
        #expect(parts.allSatisfy { $0["count"] as? Int == 3 })
        #expect(parts.map { $0["of"] as? Int } == [nil, 1, 1])
        #expect(records.map { $0["request"] != nil } == [true, false, false])

        // The same request again, and one that repeats two events and has two new ones.
        #expect(try send(batch.request(events), to: instance) == 204)
        #expect(try send(batch.request(events.reversed()), to: instance) == 204)
        #expect(try instance.records().count == 3)
        let overlapping = [
            events[1], GoCardlessBatch.event(4), events[2], GoCardlessBatch.event(5),
        ]
        #expect(try send(batch.request(overlapping), to: instance) == 204)
        #expect(try instance.references() == (1...5).map { "GC-\($0)" })
        let last = try instance.records().suffix(2).compactMap { $0["part"] as? [String: Any] }
        #expect(last.map { $0["number"] as? Int } == [2, 4])
        #expect(last.allSatisfy { $0["count"] as? Int == 4 })
        #expect(last.map { $0["of"] as? Int } == [nil, 4])
        instance.stop()
        try verify(instance)
    }

    @Test func `an event that cannot be read does not hold up the others`() throws {
        let instance = try Instance()
        let batch = try GoCardlessBatch(instance)
        let request = batch.request([events[0], #"{"odd":[1]}"#, "7", events[1]])
        #expect(try send(request, to: instance) == 204)
        #expect(try status(1, at: instance) == "paid" && status(2, at: instance) == "paid")
        let records = try instance.records()
        #expect(records.count == 4)
        #expect(
            records.map { ($0["flags"] as? [String])?.contains("not_understood") ?? false }
                == [false, true, true, false])
        #expect(try send(request, to: instance) == 204)
        #expect(try instance.records().count == 4)
        instance.stop()
        try verify(instance)
    }

    @Test(arguments: StorageKind.all)
    func `what was answered survives a kill`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let batch = try GoCardlessBatch(instance)
        // As many as GoCardless sends.
        let most = (1...250).map { GoCardlessBatch.event($0) }
        #expect(try send(batch.request(most), to: instance) == 204)
        instance.stop(SIGKILL)
        try instance.start()
        #expect(try instance.references() == (1...250).map { "GC-\($0)" })
        for number in [1, 125, 250] { #expect(try status(number, at: instance) == "paid") }

        let later = (240...260).map { GoCardlessBatch.event($0) }
        #expect(try send(batch.request(later), to: instance) == 204)
        let last = (251...255).map { GoCardlessBatch.event($0, action: "charged_back") }
        #expect(try send(batch.request(last), to: instance) == 204)
        instance.stop(SIGKILL)
        try instance.start()
        #expect(try send(batch.request(most), to: instance) == 204)
        #expect(try send(batch.request(later + last), to: instance) == 204)
        #expect(try instance.records().count == 265)
        #expect(try status(250, at: instance) == "paid")
        #expect(try status(251, at: instance) == "charged_back")
        instance.stop()
        try verify(instance)
    }

    @Test func `more events than the limit are refused before any is recorded`() throws {
        let instance = try Instance(edit: { text in
            text.contains("\nlimits:")
                ? text.replacingOccurrences(
                    of: "\nlimits:", with: "\nlimits:\n  eventsPerRequestMax: 3")
                : text + "\nlimits: {eventsPerRequestMax: 3}\n"
        })
        let batch = try GoCardlessBatch(instance)
        #expect(try send(batch.request(events + [GoCardlessBatch.event(4)]), to: instance) == 400)
        #expect(try instance.records().isEmpty)
        #expect(instance.says("reason=events_too_many"))
        #expect(try send(batch.request(events), to: instance) == 204)
        #expect(try instance.records().count == 3)
    }

    @Test func `a changed batch is refused as a whole`() throws {
        let instance = try Instance()
        var request = try GoCardlessBatch(instance).request(events)
        request[request.count - 3] ^= 1
        #expect(try send(request, to: instance) == 498)
        #expect(try instance.records().isEmpty)
    }

    @Test func `one forged item of Adyen's makes the whole request worthless`() throws {
        let instance = try Instance()
        let adyen = try SandboxProvider("adyen", of: instance)
        let first = try adyen.delivery(reference: "A-1")
        let second = try adyen.delivery(reference: "A-2")
        let forged = Array(
            String(decoding: second.body, as: UTF8.self).replacing("4200", with: "4201").utf8)
        #expect(forged != second.body)
        func joined(_ bodies: [UInt8]...) throws -> [UInt8] {
            var items: [Any] = []
            for body in bodies {
                let root = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
                items += try #require(root?["notificationItems"] as? [Any])
            }
            return Array(
                try JSONSerialization.data(
                    withJSONObject: ["live": "false", "notificationItems": items]))
        }
        for bodies in [try joined(first.body, forged), try joined(forged, first.body)] {
            #expect(try send(first.replacing(body: bodies).request(), to: instance) == 401)
        }
        #expect(try instance.records().isEmpty)
        let genuine = try joined(first.body, second.body)
        #expect(try send(first.replacing(body: genuine).request(), to: instance) == 200)
        #expect(try instance.references() == ["A-1", "A-2"])
    }
}
