import Ledger
import Payments
import Records
import Store

extension StoreCheck {
    /// The acts of people.
    static let acts = [
        StoreCheck("an act is a record, and its order tells of it") { open in
            let store = try await open()
            _ = await store.outcome(Sample.payment("E-1"))
            try expect(await store.act(Sample.act(.inquire)), is: .recorded(2), "of an order")
            try expect(await store.act(Sample.act(.inquire)), is: .recorded(3), "once more")
            let unknown = await store.act(Sample.act(.inquire, of: "REQ-9"))
            try expect(unknown, is: .recorded(4), "of an unknown order")
            var pause = Sample.act(.pause, of: nil)
            (pause.endpoint, pause.provider) = ("", "")
            try expect(await store.act(pause), is: .recorded(5), "of no order")
            try expect(
                try await store.order(endpoint: "e", reference: "REQ-9"), is: nil, "no order begins"
            )
            let before = try await store.order(endpoint: "e", reference: "REQ-1")
            try expect(before?.sequences, is: [1, 2, 3], "sequences")
            try expect(before?.order.status, is: .paid, "status")
            await store.close()
            let again = try await open()
            try expect(
                try await again.order(endpoint: "e", reference: "REQ-1"), is: before,
                "after a start")
            try expect(
                await again.outcome(Sample.payment("E-2", .pending)), is: .recorded(6), "the next")
            await again.close()
        },
        StoreCheck("a person resolves a review, until there is a further report") { open in
            let store = try await open()
            try await Sample.doubt(store)
            let wrong = await store.act(Sample.resolve(.accept, last: 1))
            try expect(wrong, is: .denied(.orderChanged(last: 2)), "an older record was seen")
            let more = SettlementProposal.settle(
                .paid, captured: Sample.money(9901), refunded: Sample.money(0))
            try expect(
                await store.act(Sample.resolve(more, last: 2)),
                is: .denied(.settlement(.sumsOutOfBounds)), "more than was reported")
            try expect(
                await store.act(Sample.resolve(.accept, last: 2)), is: .recorded(3), "resolved")
            try expect(
                await store.act(Sample.resolve(.accept, last: 2)),
                is: .denied(.orderChanged(last: 3)), "the second of two people")
            let resolved = try await store.order(endpoint: "e", reference: "REQ-1")
            try expect(resolved?.order.status, is: .paid, "status")
            try expect(resolved?.order.amount, is: Sample.money(4200), "the least")
            try expect(resolved?.order.resolution?.reason, is: "because", "reason")
            try expect(resolved?.order.resolution?.sequence, is: 3, "its record")
            try expect(
                await store.outcome(Sample.payment("E-1")), is: .duplicate(of: 1), "repetition")
            await store.close()
            let again = try await open()
            let after = try await again.order(endpoint: "e", reference: "REQ-1")
            try expect(after, is: resolved, "after a start")
            _ = await again.outcome(Sample.refund("E-3"))
            let reopened = try await again.order(endpoint: "e", reference: "REQ-1")
            try expect(reopened?.order.status, is: .review, "reopened")
            try expect(reopened?.order.flags.contains(.reopened), is: true, "and says so")
            let settle = SettlementProposal.settle(
                .partiallyRefunded, captured: Sample.money(9900), refunded: Sample.money(1000))
            try expect(
                await again.act(Sample.resolve(settle, last: 4)), is: .recorded(5), "once more")
            await again.close()
            let last = try await open()
            let end = try await last.order(endpoint: "e", reference: "REQ-1")
            try expect(end?.order.status, is: .partiallyRefunded, "the last word")
            try expect(end?.order.refunded, is: Sample.money(1000), "refunded")
            await last.close()
        },
        StoreCheck(on: "only a review of a known order is resolved") { store in
            _ = await store.outcome(Sample.payment("E-1"))
            try expect(
                await store.act(Sample.resolve(.accept, last: 1)),
                is: .denied(.settlement(.notInReview)), "paid")
            try expect(
                await store.act(Sample.resolve(.accept, last: 1, of: "REQ-9")),
                is: .denied(.orderUnknown), "unknown")
            try expect(store.commitFeed.durableSequence, is: 1, "nothing was recorded")
        },
        StoreCheck("an expectation is corrected until money has moved") { open in
            let store = try await open()
            _ = await store.register(Sample.registration("REQ-1"))
            _ = await store.outcome(Sample.payment("E-1", .authorized, minor: 9900))
            try expect(
                try await store.order(endpoint: "e", reference: "REQ-1")?.order.status,
                is: .review, "not what was expected")
            try expect(
                await store.act(Sample.correct(9900, last: 1)),
                is: .denied(.orderChanged(last: 2)), "an older record was seen")
            try expect(
                await store.act(Sample.correct(9900, last: 2)), is: .recorded(3), "corrected")
            let view = try await store.order(endpoint: "e", reference: "REQ-1")
            try expect(view?.order.expected?.amount, is: Sample.money(9900), "expected")
            try expect(view?.order.status, is: .authorized, "status")
            try expect(view?.sequences, is: [1, 2, 3], "history")
            await store.close()
            let again = try await open()
            try expect(
                try await again.order(endpoint: "e", reference: "REQ-1"), is: view, "after a start")
            let same = await again.register(Sample.registration("REQ-1", minor: 9900))
            try expect(same.outcome, is: .duplicate(of: 3), "the present expectation")
            let old = await again.register(Sample.registration("REQ-1"))
            try expect(old.outcome, is: .conflict(3), "what stood")
            _ = await again.outcome(Sample.payment("E-2", minor: 9900))
            try expect(
                await again.act(Sample.correct(4200, last: 4)), is: .denied(.alreadyPaid), "paid")
            _ = await again.outcome(Sample.payment("E-3", reference: "REQ-2", transaction: "P-2"))
            try expect(
                await again.act(Sample.correct(4200, last: 5, of: "REQ-2")),
                is: .denied(.expectationUnknown), "nothing is expected")
            await again.close()
        },
    ]
}

extension Sample {
    static func act(
        _ kind: RecordedAction.Kind, of reference: String? = "REQ-1", _ demand: ActionDemand = .note
    ) -> Act {
        Act(
            kind, by: "admin", remote: "127.0.0.1", reason: "because", endpoint: "e", provider: "p",
            reference: reference, demand: demand,
            received: Timestamp(microseconds: 1_795_244_400_123_456))
    }

    static func resolve(
        _ proposal: SettlementProposal, last: UInt64, of reference: String = "REQ-1"
    ) -> Act {
        act(.resolve, of: reference, .resolve(proposal, last: last))
    }

    static func correct(_ minor: Int64, last: UInt64, of reference: String = "REQ-1") -> Act {
        let registered = RegisteredExpectation(
            expectation: Expectation(amount: money(minor)), metadata: [])
        return act(.correct, of: reference, .correct(registered, last: last))
    }

    /// Records 42.00 and 99.00 as paid, in two records.
    static func doubt(_ store: any Store) async throws {
        _ = await store.outcome(payment("E-1"))
        _ = await store.outcome(payment("E-2", minor: 9900))
        try expect(
            try await store.order(endpoint: "e", reference: "REQ-1")?.order.status, is: .review,
            "a doubt")
    }
}
