import Payments
import Store

extension StoreCheck {
    /// Which events are the same.
    static let identity = [
        StoreCheck(on: "a new notification is recorded and can be read at once") { store in
            let receipt = await store.record(Sample.submission(Sample.payment("E-1")))
            try expect(
                receipt, is: Receipt(.recorded(1), reference: "REQ-1", status: .paid), "receipt")
            let view = try await store.order(endpoint: "e", reference: "REQ-1")
            try expect(view?.order.amount, is: Sample.money(4200), "amount")
            try expect(view?.sequences, is: [1], "sequences")
        },
        StoreCheck(on: "a repetition is a duplicate of the first and changes nothing") { store in
            _ = await store.outcome(Sample.payment("E-1"))
            for _ in 1...3 {
                try expect(
                    await store.outcome(Sample.payment("E-1")), is: .duplicate(of: 1), "again")
            }
            let view = try await store.order(endpoint: "e", reference: "REQ-1")
            try expect(view?.sequences, is: [1], "sequences")
        },
        StoreCheck(on: "the same identity with other content is a conflict, once") { store in
            _ = await store.outcome(Sample.payment("E-1"))
            let other = Sample.payment("E-1", minor: 9900)
            try expect(await store.outcome(other), is: .conflict(2), "other content")
            try expect(await store.outcome(other), is: .duplicate(of: 2), "the same again")
            try expect(
                await store.outcome(Sample.payment("E-1")), is: .duplicate(of: 1), "the first")
            let view = try await store.order(endpoint: "e", reference: "REQ-1")
            try expect(view?.order.status, is: .review, "status")
            try expect(view?.order.flags.contains(.conflict), is: true, "flag")
            try expect(view?.order.amount, is: Sample.money(4200), "the least claim")
        },
        StoreCheck(on: "what is about no order is ignored and kept") { store in
            let test = Notification(id: "T", kind: "activation", status: "ok")
            try expect(await store.outcome(test), is: .ignored(1), "first")
            try expect(await store.outcome(test), is: .duplicate(of: 1), "again")
        },
        StoreCheck(on: "endpoints share neither identities nor references") { store in
            for (number, endpoint) in ["a", "b"].enumerated() {
                try expect(
                    await store.outcome(Sample.payment("E-1"), endpoint: endpoint),
                    is: .recorded(UInt64(number + 1)), endpoint)
            }
            let view = try await store.order(endpoint: "b", reference: "REQ-1")
            try expect(view?.sequences, is: [2], "sequences of the second")
            let none = try await store.order(endpoint: "c", reference: "REQ-1")
            try expect(none, is: nil, "an endpoint without events")
        },
        StoreCheck(on: "of concurrent repetitions exactly one is recorded") { store in
            let outcomes = await outcomes(of: (1...50).map { _ in Sample.payment("E-1") }, store)
            let recorded = outcomes.filter { $0 == .recorded(1) }.count
            try expect(recorded, is: 1, "recorded")
            let repeated = outcomes.filter { $0 == .duplicate(of: 1) }.count
            try expect(repeated, is: 49, "duplicates")
        },
    ]

    /// The effect of notifications on orders.
    static let orders = [
        StoreCheck(on: "the order of arrival does not matter") { store in
            let notes = [
                Sample.payment("E-1", .pending), Sample.payment("E-2"),
                Sample.refund("E-3", refund: "REF-1"), Sample.refund("E-4", refund: "REF-2"),
                Sample.payment("E-5", .failed),
            ]
            for (endpoint, order) in ["a": notes, "b": notes.reversed()] {
                for note in order { _ = await store.outcome(note, endpoint: endpoint) }
            }
            let forward = try await store.order(endpoint: "a", reference: "REQ-1")?.order
            let backward = try await store.order(endpoint: "b", reference: "REQ-1")?.order
            try expect(forward?.summary, is: backward?.summary, "summary")
            try expect(forward?.refunded, is: Sample.money(2000), "refunded")
        },
        StoreCheck(on: "what came under a transaction joins the order that names it") { store in
            let refund = await store.record(Sample.submission(Sample.refund("E-1")))
            try expect(
                refund, is: Receipt(.recorded(1), reference: nil, status: .review), "refund")
            let payment = await store.record(Sample.submission(Sample.payment("E-2")))
            try expect(payment.status, is: .partiallyRefunded, "payment")
            let view = try await store.order(endpoint: "e", reference: "REQ-1")
            try expect(view?.sequences, is: [1, 2], "sequences")
        },
        StoreCheck(on: "concurrent submissions come to what the rules say") { store in
            let references = (1...20).map { "R-\($0)" }
            let all = references.flatMap { notes(about: $0) }
            _ = await outcomes(of: (all + all).shuffled(), store)
            for reference in references {
                let expected = notes(about: reference).reduce(Order(reference: reference)) {
                    $0.applying($1)
                }
                let view = try await store.order(endpoint: "e", reference: reference)
                try expect(view?.order.summary, is: expected.summary, reference)
                try expect(view?.sequences.count, is: 4, reference)
            }
        },
        StoreCheck(on: "sequences count from 1 without gaps") { store in
            let notes = (1...200).map { Sample.payment("E-\($0)", reference: "R-\($0 % 7)") }
            var sequences: [UInt64] = []
            for case .recorded(let sequence) in await outcomes(of: notes, store) {
                sequences.append(sequence)
            }
            try expect(sequences.sorted(), is: Array(1...200), "sequences")
        },
    ]

    private static func notes(about reference: String) -> [Notification] {
        let transaction = "T-\(reference)"
        return [
            Sample.payment(
                "\(reference)-1", reference: reference, transaction: transaction, .pending),
            Sample.payment("\(reference)-2", reference: reference, transaction: transaction),
            Sample.refund(
                "\(reference)-3", refund: "\(reference)-A", transaction: transaction),
            Sample.refund(
                "\(reference)-4", refund: "\(reference)-B", transaction: transaction, minor: 200),
        ]
    }

    /// Submits all of them concurrently.
    static func outcomes(
        of notes: [Notification], _ store: any Store
    ) async -> [Receipt.Outcome] {
        await withTaskGroup(of: Receipt.Outcome.self) { group in
            for note in notes { group.addTask { await store.outcome(note) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}
