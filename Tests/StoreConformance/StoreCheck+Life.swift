import Payments
import Store

extension StoreCheck {
    /// Expectations that the merchant registers before an order is paid.
    static let registrations = [
        StoreCheck(on: "a registration is recorded once, and the first is kept") { store in
            let first = await store.register(Sample.registration("REQ-1"))
            try expect(first.outcome, is: .recorded(1), "first")
            let again = await store.register(Sample.registration("REQ-1"))
            try expect(again.outcome, is: .duplicate(of: 1), "again")
            let other = await store.register(Sample.registration("REQ-1", minor: 1))
            try expect(other.outcome, is: .conflict(1), "another amount")
            let note = Sample.registration("REQ-1", metadata: #"{"a":1}"#)
            try expect(await store.register(note).outcome, is: .conflict(1), "other metadata")
        },
        StoreCheck(on: "an amount that contradicts the registered one is a conflict") { store in
            _ = await store.register(Sample.registration("REQ-1", minor: 1))
            try expect(await store.outcome(Sample.payment("E-1")), is: .conflict(2), "payment")
            let view = try await store.order(endpoint: "e", reference: "REQ-1")
            try expect(view?.order.status, is: .review, "status")
        },
        StoreCheck(on: "tries of one order are one order, whichever came first") { store in
            _ = await store.outcome(Sample.payment("E-1", reference: "TRY-1", transaction: "T-1"))
            for name in ["TRY-1", "TRY-2"] {
                let receipt = await store.register(Sample.registration(name, tryOf: "SHOP-77"))
                try expect(receipt.outcome.sequence != nil, is: true, name)
                let again = await store.register(Sample.registration(name, tryOf: "SHOP-77"))
                try expect(again.outcome, is: .duplicate(of: name == "TRY-1" ? 2 : 3), name)
            }
            let before = try await store.order(endpoint: "e", reference: "SHOP-77")
            try expect(before?.order.status, is: .paid, "status after one")
            _ = await store.outcome(Sample.payment("E-2", reference: "TRY-2", transaction: "T-2"))
            _ = await store.outcome(Sample.refund("E-3", transaction: "T-2", minor: 4200))
            for name in ["SHOP-77", "TRY-1", "TRY-2"] {
                let view = try await store.order(endpoint: "e", reference: name)
                try expect(view?.order.reference, is: "SHOP-77", "the order of \(name)")
                try expect(view?.sequences, is: [1, 2, 3, 4, 5], "sequences by \(name)")
                try expect(view?.order.flags.contains(.paidTwice), is: true, "flag by \(name)")
                try expect(view?.order.refunded, is: Sample.money(4200), "refunded by \(name)")
            }
            let other = await store.register(Sample.registration("TRY-2", tryOf: "SHOP-78"))
            try expect(other.outcome, is: .conflict(3), "a try of another order")
            let none = try await store.order(endpoint: "e", reference: "SHOP-78")
            try expect(none, is: nil, "the other order")
        },
    ]

    /// Notifications of readers.
    static let feed = [
        StoreCheck(on: "the feed tells of records and orders that have become durable") { store in
            let records = store.commitFeed.watchRecords()
            let order = store.commitFeed.watchOrder(OrderName(endpoint: "e", reference: "REQ-1"))
            _ = await store.outcome(Sample.payment("E-1"))
            for await _ in records.changes where store.commitFeed.durableSequence >= 1 { break }
            for await _ in order.changes { break }
            try expect(store.commitFeed.durableSequence, is: 1, "durable")
            records.end()
            order.end()
        },
        StoreCheck(on: "who has an answer finds its record in the feed") { store in
            for number in 1...300 {
                let note = Sample.payment("E-\(number)", .pending)
                let outcome = await store.outcome(note)
                let last = store.commitFeed.durableSequence
                try expect(outcome, is: .recorded(UInt64(number)), "record")
                try expect(last, is: UInt64(number), "durable")
            }
        },
        StoreCheck("the feed ends with the store") { open in
            let store = try await open()
            let records = store.commitFeed.watchRecords()
            await store.close()
            for await _ in records.changes {}
            try expect(store.commitFeed.isClosed, is: true, "closed")
        },
    ]

    /// From opening to closing.
    static let life = [
        StoreCheck("a closed store refuses everything") { open in
            let store = try await open()
            await store.close()
            let refused = Receipt.Outcome.refused(.shuttingDown)
            try expect(await store.outcome(Sample.payment("E-1")), is: refused, "notification")
            let receipt = await store.register(Sample.registration("REQ-1"))
            try expect(receipt.outcome, is: refused, "registration")
            // It reports that it is closed, or finds nothing.
            let view = try? await store.order(endpoint: "e", reference: "REQ-1")
            try expect(view, is: nil, "order")
            await store.close()
        },
        StoreCheck("closing makes durable what was taken") { open in
            let store = try await open()
            async let outcomes = outcomes(
                of: (1...50).map { Sample.payment("E-\($0)", reference: "R-\($0)") }, store)
            await store.close()
            let kept = await outcomes.filter { $0 != .refused(.shuttingDown) }.count
            let again = try await open()
            try expect(again.commitFeed.durableSequence, is: UInt64(kept), "durable")
            await again.close()
        },
        StoreCheck("a restart knows the same events, orders and registrations") { open in
            let first = try await open()
            _ = await first.register(Sample.registration("REQ-1"))
            for note in [Sample.refund("E-1"), Sample.payment("E-2")] {
                _ = await first.outcome(note)
            }
            let conflict = Sample.payment("E-2", minor: 1)
            try expect(await first.outcome(conflict), is: .conflict(4), "conflict")
            let before = try await first.order(endpoint: "e", reference: "REQ-1")
            await first.close()
            let second = try await open()
            try expect(second.commitFeed.durableSequence, is: 4, "durable")
            let after = try await second.order(endpoint: "e", reference: "REQ-1")
            try expect(after, is: before, "order")
            let registered = await second.register(Sample.registration("REQ-1"))
            try expect(registered.outcome, is: .duplicate(of: 1), "registration")
            try expect(
                await second.outcome(Sample.payment("E-2")), is: .duplicate(of: 3), "repetition")
            try expect(await second.outcome(conflict), is: .duplicate(of: 4), "the conflict")
            try expect(await second.outcome(Sample.payment("E-3")), is: .recorded(5), "the next")
            await second.close()
        },
    ]
}
