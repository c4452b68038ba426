import Bytes
import Payments
import Records
import Store

extension StoreCheck {
    /// The effect of answers to inquiries on orders.
    static let inquiries = [
        StoreCheck("an answer joins what notifications said, and is found again") { open in
            let store = try await open()
            _ = await store.outcome(Sample.payment("E-1", .pending))
            let paid = Sample.answer("inquiry:payment:PAY-1:paid", Sample.payment("", .paid))
            try expect(
                await store.record(paid),
                is: Receipt(.recorded(2), reference: "REQ-1", status: .paid), "answer")
            try expect(await store.record(paid).outcome, is: .duplicate(of: 2), "asked again")
            try expect(
                await store.outcome(Sample.payment("E-2")), is: .recorded(3), "late notification")
            let before = try await store.order(endpoint: "e", reference: "REQ-1")
            await store.close()
            let again = try await open()
            let after = try await again.order(endpoint: "e", reference: "REQ-1")
            try expect(after, is: before, "the order after a start")
            try expect(after?.order.status, is: .paid, "status")
            try expect(after?.sequences, is: [1, 2, 3], "sequences")
            try expect(await again.record(paid).outcome, is: .duplicate(of: 2), "after a start")
            await again.close()
        },
        StoreCheck(on: "an answer that contradicts a notification is a conflict") { store in
            _ = await store.outcome(Sample.payment("E-1"))
            let other = Sample.answer(
                "inquiry:payment:PAY-1:paid", Sample.payment("", .paid, minor: 9900))
            try expect(await store.record(other).outcome, is: .conflict(2), "other sum")
            let view = try await store.order(endpoint: "e", reference: "REQ-1")
            try expect(view?.order.status, is: .review, "status")
            try expect(view?.order.amount, is: Sample.money(4200), "the reported amount is kept")
        },
        StoreCheck(on: "what an answer says differently later is a conflict") { store in
            for (minor, outcome) in [
                (4200, Receipt.Outcome.recorded(1)), (4100, .conflict(2)),
                (4200, .duplicate(of: 1)),
            ] as [(Int64, Receipt.Outcome)] {
                let answer = Sample.answer(
                    "inquiry:payment:PAY-1:paid", Sample.payment("", .paid, minor: minor))
                try expect(await store.record(answer).outcome, is: outcome, "\(minor)")
            }
            let view = try await store.order(endpoint: "e", reference: "REQ-1")
            try expect(view?.order.flags.contains(.conflict), is: true, "flag")
        },
    ]
}

extension Sample {
    /// `fact`, as reported by an answer.
    static func answer(_ id: String, _ fact: Notification) -> Submission {
        var notification = fact
        notification.id = id
        notification.kind = Notification.inquiryKind
        var submission = submission(notification)
        submission.key = "tls"
        submission.inquiry = RecordedInquiry(
            trust: "tls", status: 200, headers: [Header("content-type", "application/json")],
            body: Array(#"{"status":"paid"}"#.utf8))
        return submission
    }
}
