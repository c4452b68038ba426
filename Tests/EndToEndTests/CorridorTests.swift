import Foundation
import Providers
import TestSupport
import Testing

/// One notification, end to end, with the real binary.
@Suite(.ownThreads) struct CorridorTests {
    static let antomSuccess =
        #"{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}"#

    @Test func `a signed Antom notification is acknowledged and stands in the journal`() throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        let client = try instance.client()
        try client.send(antom.delivery(reference: "ORDER-1").request())
        let answer = try client.receive()
        #expect(answer.status == 200)
        #expect(answer.fields["content-type"] == "application/json")
        #expect(answer.body == Self.antomSuccess)
        let records = try instance.records()
        #expect(records.count == 1)
        let order = try #require(records.first?["order"] as? [String: Any])
        #expect(order["reference"] as? String == "ORDER-1")
        #expect(order["status"] as? String == "paid")
        #expect(records[0]["outcome"] as? String == "recorded")
        #expect(instance.stop() == 0)
    }

    @Test func `a signed Citcon notification is acknowledged and stands in the journal`() throws {
        let instance = try Instance()
        let citcon = try SandboxProvider("citcon", of: instance)
        let client = try instance.client()
        try client.send(citcon.delivery(reference: "ORDER-2").request())
        let answer = try client.receive()
        #expect(answer.status == 200)
        #expect(answer.fields["content-type"] == "text/plain")
        #expect(answer.body == "ok")
        #expect(try instance.references() == ["ORDER-2"])
    }

    @Test func `the same notification fifty times at once is recorded once`() throws {
        let instance = try Instance()
        let request = try SandboxProvider("antom", of: instance)
            .delivery(reference: "ORDER-3").request()
        let answers = Box<[HTTPAnswer]>([])
        let clients = try (0..<50).map { _ in try instance.client() }
        DispatchQueue.concurrentPerform(iterations: 50) { index in
            guard (try? clients[index].send(request)) != nil,
                var answer = try? clients[index].receive()
            else { return }
            answer.fields["date"] = nil
            answers.update { $0.append(answer) }
        }
        let all = answers.get()
        #expect(all.count == 50)
        #expect(all.allSatisfy { $0 == all[0] && $0.body == Self.antomSuccess })
        #expect(try instance.records().count == 1)
    }

    @Test func `every acknowledged notification survives a kill in the middle of a load`() throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        let requests = try (0..<2000).map { number in
            (
                reference: "KILL-\(number)",
                bytes: try antom.delivery(reference: "KILL-\(number)").request()
            )
        }
        let acknowledged = Box<Set<String>>([])
        let lanes = 16
        let finished = DispatchGroup()
        for lane in 0..<lanes {
            let client = try instance.client()
            let mine = stride(from: lane, to: requests.count, by: lanes).map { requests[$0] }
            finished.enter()
            Thread.detachNewThread {
                defer { finished.leave() }
                for request in mine {
                    guard (try? client.send(request.bytes)) != nil,
                        let answer = try? client.receive(), answer.status == 200
                    else { return }
                    acknowledged.update { _ = $0.insert(request.reference) }
                }
            }
        }
        _ = eventually { acknowledged.get().count >= 300 }
        instance.stop(SIGKILL)
        finished.wait()
        let promised = acknowledged.get()
        #expect(promised.count >= 300)
        try instance.start()
        let kept = try instance.references()
        #expect(promised.isSubset(of: kept))
        #expect(Set(kept).count == kept.count, "a notification was recorded twice")
        // A notification acknowledged before the crash is a duplicate after it.
        let again = try #require(requests.first { promised.contains($0.reference) })
        let client = try instance.client()
        try client.send(again.bytes)
        #expect(try client.receive().status == 200)
        #expect(try instance.references().count == kept.count)
    }

    @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0, 1, 2, 0]])
    func `any order of arrival gives one state`(_ order: [Int]) throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        let events = [
            try antom.delivery(.pending, reference: "ORDER-4"),
            try antom.delivery(.paid, reference: "ORDER-4"),
            try antom.delivery(.refunded, reference: "ORDER-4", minor: 1000, number: 2),
        ]
        let client = try instance.client()
        for index in order {
            try client.send(events[index].request())
            #expect(try client.receive().status == 200)
        }
        let state = try #require(try instance.order("antom", "ORDER-4"))
        #expect(state["status"] as? String == "partially_refunded")
        #expect((state["refunded"] as? [String: Any])?["minor"] as? Int == 1000)
        #expect((state["amount"] as? [String: Any])?["minor"] as? Int == 4200)
        #expect((state["flags"] as? [String])?.isEmpty == true)
        // The state is rebuilt from the journal alone.
        instance.stop()
        try instance.start()
        let rebuilt = try #require(try instance.order("antom", "ORDER-4"))
        #expect(NSDictionary(dictionary: rebuilt) == NSDictionary(dictionary: state))
    }
}
