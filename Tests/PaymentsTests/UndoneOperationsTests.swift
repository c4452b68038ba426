import Payments
import Testing

/// Tests each row of the table at `UndoneOperations` through the resulting order.
@Suite struct UndoneOperationsTests {
    private func reversal(
        _ transaction: String?, _ amount: Money? = money(100), id: String = "V",
        _ kind: Reversal.Kind = .operation, _ status: ActionStatus = .succeeded
    ) -> Notification {
        notification(.reversal(kind, id: id, status, amount), transaction: transaction)
    }

    @Test(arguments: [money(100), nil])
    func `what was only authorised is canceled`(amount: Money?) {
        for status in [AttemptStatus.pending, .authorized, .expired] {
            let order = PaymentsTests.order(attempt(status), reversal("T", amount))
            #expect(order.status == .canceled && order.flags.isEmpty)
            #expect(order.refunded == money(0))
        }
        #expect(order(attempt(.failed), reversal("T")).status == .failed)
    }

    @Test func `what is pending beside what was authorised goes with it`() {
        for kind in [Reversal.Kind.operation, .authorization] {
            let order = PaymentsTests.order(
                attempt(.authorized), attempt(.pending, nil, transaction: nil),
                reversal(nil, nil, kind))
            #expect(order.status == .canceled && order.flags.isEmpty)
        }
    }

    @Test func `the release of an authorisation never moves money`() {
        let paid = PaymentsTests.order(attempt(.paid), reversal("T", nil, .authorization))
        #expect(paid.status == .paid && paid.refunded == money(0))
        let captured = PaymentsTests.order(
            attempt(.authorized), capture("C", .succeeded, money(60)),
            reversal(nil, nil, .authorization))
        #expect(captured.status == .paid && captured.amount == money(60))
    }

    @Test func `the release of an authorisation that was never reported cancels the order`() {
        let released = PaymentsTests.order(reversal("T", money(100), .authorization))
        #expect(released.status == .canceled && released.flags.isEmpty)
        #expect(order(reversal("T", nil, .authorization), attempt(.paid)).status == .paid)
    }

    @Test func `a part that is released leaves the rest authorised`() {
        let order = PaymentsTests.order(attempt(.authorized), reversal("T", money(30)))
        #expect(order.status == .authorized)
        #expect(order.summary.authorized == money(70))
        var all = order
        all.apply(reversal("T", money(70), id: "V2"))
        #expect(all.status == .canceled)
    }

    @Test func `money that was taken at once goes back`() {
        #expect(order(attempt(.paid), reversal("T", nil)).status == .refunded)
        let part = order(attempt(.paid), reversal("T", money(40)))
        #expect(part.status == .partiallyRefunded && part.refunded == money(40))
    }

    @Test func `the rest of what was captured is released more than the rest is ambiguous`() {
        let captured = [attempt(.authorized), capture("C", .succeeded, money(60))]
        let released = order(captured[0], captured[1], reversal("T", money(40)))
        #expect(released.status == .paid && released.amount == money(60))
        #expect(released.flags == [.partiallyCaptured])
        for amount in [money(41), money(100), nil] {
            let order = PaymentsTests.order(captured[0], captured[1], reversal("T", amount))
            #expect(order.status == .review && order.flags.contains(.reversalAmbiguous))
        }
    }

    @Test func `a capture that is reversed goes back`() {
        let order = PaymentsTests.order(
            attempt(.authorized), capture("C1", .succeeded, money(60)),
            capture("C2", .succeeded, money(40)), reversal("C1", money(60)))
        #expect(order.status == .partiallyRefunded && order.refunded == money(60))
    }

    @Test func `a refund that is reversed is taken back as far as it went`() {
        let refunded = [
            attempt(.paid), refund("F1", .succeeded, money(30)),
            refund("F2", .succeeded, money(20)),
        ]
        let order = PaymentsTests.order(refunded + [reversal("F1", money(90))])
        #expect(order.status == .partiallyRefunded && order.refunded == money(20))
        #expect(
            PaymentsTests.order(attempt(.paid), refund("F", .failed), reversal("F")).status == .paid
        )
        #expect(
            PaymentsTests.order(refunded + [reversal(nil, money(20), .refund)]).refunded
                == money(30))
        #expect(PaymentsTests.order(refunded + [reversal(nil, nil, .refund)]).status == .review)
        let one = PaymentsTests.order(attempt(.paid), refund(), reversal(nil, nil, .refund))
        #expect(one.status == .paid && one.refunded == money(0))
    }

    @Test func `a refund is taken back once and by its own amount only`() {
        let refunded = [
            attempt(.paid), refund("F1", .succeeded, money(30)),
            refund("F2", .succeeded, money(40)),
        ]
        // Reversed twice, under two ids.
        let twice = order(
            refunded + [reversal("F1", money(30), id: "V1"), reversal("F1", money(30), id: "V2")])
        #expect(twice.status == .review && twice.flags == [.reversalAmbiguous])
        let parts = order(
            refunded + [reversal("F1", money(10), id: "V1"), reversal("F1", money(20), id: "V2")])
        #expect(parts.status == .partiallyRefunded && parts.refunded == money(40))
        // Of a refund that is not reported yet, in addition to others.
        let early = order(refunded + [reversal(nil, money(20), .refund)])
        #expect(early.status == .review && early.flags == [.reversalAmbiguous])
        let reported = order(
            refunded + [reversal(nil, money(20), .refund), refund("F3", .succeeded, money(20))])
        #expect(reported.status == .partiallyRefunded && reported.refunded == money(70))
        let alone = order(attempt(.paid), reversal(nil, money(20), .refund))
        #expect(alone.status == .paid && alone.refunded == money(0))
    }

    @Test(arguments: [.pending, .failed] as [ActionStatus])
    func `a refund that never took place is not taken back from another`(status: ActionStatus) {
        let order = order(
            attempt(.paid), refund("F1", status, money(30)), refund("F2", .succeeded, money(20)),
            reversal("F1", money(30)))
        #expect(order.status == .partiallyRefunded && order.refunded == money(20))
    }

    @Test func `a chargeback that is reversed leaves the payment`() {
        #expect(order(attempt(.paid), dispute(.lost), reversal("D", .dispute)).status == .paid)
        // Names the payment or nothing: there is only one.
        #expect(order(attempt(.paid), dispute(.lost), reversal("T", .dispute)).status == .paid)
        let two = order(
            attempt(.paid), dispute(.lost), dispute(.lost, id: "D2"), reversal("D", .dispute))
        #expect(two.status == .chargedBack && two.flags.isEmpty)
        // Whichever of two it settles, the other remains.
        let left = order(
            attempt(.paid), dispute(.lost), dispute(.lost, id: "D2"), reversal("T", .dispute))
        #expect(left.status == .chargedBack && left.flags.isEmpty)
    }

    @Test func `what names nothing known undoes the payment`() {
        #expect(order(attempt(.paid), reversal("elsewhere")).status == .refunded)
        #expect(order(attempt(.authorized), reversal(nil)).status == .canceled)
        let early = order(reversal("elsewhere"))
        #expect(early.status == .review && early.flags == [.overRefunded])
    }

    @Test func `what names nothing known beside several payments is for a person`() {
        let held = attempt(.authorized, transaction: "T2")
        let cases: [[Notification]] = [
            [attempt(.authorized), held, reversal(nil)],
            [attempt(.authorized), held, reversal(nil, nil, .authorization)],
            [attempt(.paid), held, reversal("elsewhere")],
            [
                attempt(.paid), held, capture("C", .succeeded, money(60), transaction: "T2"),
                reversal(nil, money(40)),
            ],
        ]
        for reported in cases {
            let order = order(reported)
            #expect(order.status == .review && order.flags.contains(.reversalAmbiguous))
        }
        // Of two payments captured at once, the sum is the same.
        let twice = order(
            attempt(.paid), attempt(.paid, transaction: "T2"), reversal(nil, money(40)))
        #expect(twice.status == .partiallyRefunded && twice.refunded == money(40))
        // The attempt without an id is one of the named ones.
        let same = order(attempt(.paid), attempt(.paid, transaction: nil), reversal(nil, nil))
        #expect(same.status == .refunded)
    }

    @Test func `one reversal that is clear does not make another clear`() {
        let order = order(
            attempt(.paid), attempt(.paid, transaction: "T2"), reversal(nil, nil, id: "V1"),
            reversal(nil, money(40), id: "V2"))
        #expect(order.status == .review && order.flags.contains(.reversalAmbiguous))
    }

    @Test(arguments: [.pending, .failed] as [ActionStatus])
    func `a reversal without success changes nothing`(status: ActionStatus) {
        #expect(order(attempt(.paid), reversal("T", id: "V", .operation, status)).status == .paid)
    }

    @Test func `a reversal of a reversal is for a person`() {
        let order = PaymentsTests.order(
            attempt(.paid), reversal("T", money(40)), reversal("V", id: "V2"))
        #expect(order.flags.contains(.reversalAmbiguous) && order.status == .review)
    }

    private func reversal(_ transaction: String?, _ kind: Reversal.Kind) -> Notification {
        reversal(transaction, money(100), id: "V", kind)
    }

    private func reversal(
        _ transaction: String?, _ amount: Money?, _ kind: Reversal.Kind
    ) -> Notification {
        reversal(transaction, amount, id: "V", kind)
    }
}
