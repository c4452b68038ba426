import Payments
import Records
import Store

extension StoreCheck {
    /// Several events in one request.
    static let requests = [
        StoreCheck("the events of one request are recorded together, once") { open in
            let store = try await open()
            let first = [Sample.payment("E-1"), Sample.payment("E-2", reference: "REQ-2")]
            try expect(await store.outcomes(first), is: [.recorded(1), .recorded(2)], "first")
            try expect(store.commitFeed.durableSequence, is: 2, "durable")
            let view = try await store.order(endpoint: "e", reference: "REQ-2")
            try expect(view?.sequences, is: [2], "order")
            let more = first + [Sample.refund("E-3")]
            try expect(
                await store.outcomes(more),
                is: [.duplicate(of: 1), .duplicate(of: 2), .recorded(3)], "with another event")
            await store.close()
            let again = try await open()
            try expect(
                await again.outcomes(more.reversed()),
                is: [.duplicate(of: 3), .duplicate(of: 2), .duplicate(of: 1)], "after a start")
            try expect(again.commitFeed.durableSequence, is: 3, "nothing was written")
            await again.close()
        },
        StoreCheck(on: "an identity that comes twice in a request is one event or a conflict") {
            store in
            let notes = [
                Sample.payment("E-1"), Sample.payment("E-1"), Sample.payment("E-1", minor: 9900),
                Sample.payment("E-1", minor: 9900),
            ]
            let expected: [Receipt.Outcome] = [
                .recorded(1), .duplicate(of: 1), .conflict(2), .duplicate(of: 2),
            ]
            try expect(await store.outcomes(notes), is: expected, "receipts")
            let view = try await store.order(endpoint: "e", reference: "REQ-1")
            try expect(view?.order.status, is: .review, "status")
        },
        StoreCheck(on: "events of one request see each other") { store in
            let notes = [Sample.refund("E-1"), Sample.payment("E-2")]
            let receipts = await store.record(Sample.request(notes))
            try expect(receipts.last?.status, is: .partiallyRefunded, "status")
            let view = try await store.order(endpoint: "e", reference: "REQ-1")
            try expect(view?.sequences, is: [1, 2], "sequences")
        },
        StoreCheck(on: "a request with an event that cannot be recorded is refused as a whole") {
            store in
            _ = await store.outcome(Sample.payment("E-0", .pending))
            let long = Sample.payment(String(repeating: "E", count: 5 << 20), reference: "REQ-3")
            let good = [Sample.payment("E-1"), Sample.payment("E-2", reference: "REQ-2")]
            let refused = Receipt.Outcome.refused(.recordTooLong)
            try expect(
                await store.outcomes(good + [long]), is: [refused, refused, refused], "refused")
            try expect(store.commitFeed.durableSequence, is: 1, "nothing was written")
            let before = try await store.order(endpoint: "e", reference: "REQ-1")
            try expect(before?.order.status, is: .pending, "an order that was there")
            try expect(
                try await store.order(endpoint: "e", reference: "REQ-2"), is: nil, "a new order")
            try expect(await store.outcomes(good), is: [.recorded(2), .recorded(3)], "without it")
        },
        StoreCheck(on: "a refused request leaves the others of its batch alone") { store in
            let long = Sample.payment(String(repeating: "E", count: 5 << 20))
            let outcomes = await withTaskGroup(of: [Receipt.Outcome].self) { group in
                for number in 1...40 {
                    let note = Sample.payment("E-\(number)", reference: "R-\(number % 5)")
                    let other = Sample.payment("F-\(number)", reference: "R-\(number % 7)")
                    group.addTask {
                        number % 10 == 0
                            ? await store.outcomes([note, other, long])
                            : await store.outcomes(number % 2 == 0 ? [note, other] : [note])
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let sequences = outcomes.flatMap { $0.compactMap(\.sequence) }
            try expect(sequences.sorted(), is: Array(1...52), "sequences")
            let refused = outcomes.filter { $0.contains(.refused(.recordTooLong)) }
            try expect(refused.map(\.count), is: [3, 3, 3, 3], "refused as a whole")
            // The events of a request are next to each other.
            let pairs = outcomes.filter { $0.count == 2 }.map { $0.compactMap(\.sequence) }
            try expect(pairs.allSatisfy { $0[1] == $0[0] + 1 }, is: true, "next to each other")
        },
        StoreCheck("a closed store refuses a request with several events") { open in
            let store = try await open()
            await store.close()
            let refused = Receipt.Outcome.refused(.shuttingDown)
            try expect(
                await store.outcomes([Sample.payment("E-1"), Sample.payment("E-2")]),
                is: [refused, refused], "receipts")
        },
    ]
}

extension Sample {
    /// The events of one request.
    static func request(_ notes: [Notification], endpoint: String = "e") -> [Submission] {
        notes.enumerated().map { index, note in
            var event = submission(note, endpoint: endpoint)
            event.request.body = Array("several".utf8)
            event.part = RecordPart(number: index + 1, count: notes.count)
            return event
        }
    }
}

extension Store {
    /// The outcomes of the events of one request.
    func outcomes(_ notes: [Notification]) async -> [Receipt.Outcome] {
        await record(Sample.request(notes)).map(\.outcome)
    }
}
