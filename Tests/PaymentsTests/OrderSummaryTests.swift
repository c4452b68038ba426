import Testing

@testable import Payments

@Suite struct OrderSummaryTests {
    struct Row: Sendable {
        var needsReview = false
        var dispute = Dispute.Outcome.settled
        var payment: Payment?
        var refund = RefundTotal.Share.nothing
        var status: OrderStatus
    }

    @Test(arguments: [
        Row(needsReview: true, dispute: .lost, payment: .paid, refund: .whole, status: .review),
        Row(needsReview: true, payment: .paid, status: .review),
        Row(dispute: .lost, payment: .paid, refund: .whole, status: .chargedBack),
        Row(dispute: .lost, status: .chargedBack),
        Row(dispute: .open, payment: .paid, refund: .part, status: .disputed),
        Row(dispute: .open, payment: .pending, status: .disputed),
        Row(payment: .paid, refund: .whole, status: .refunded),
        Row(payment: .paid, refund: .part, status: .partiallyRefunded),
        Row(payment: .paid, status: .paid), Row(payment: .authorized, status: .authorized),
        Row(payment: .pending, status: .pending), Row(payment: .failed, status: .failed),
        Row(payment: .canceled, status: .canceled), Row(payment: .expired, status: .expired),
        Row(payment: nil, status: .pending),
    ])
    func `each row of the table of statuses`(row: Row) {
        let status = OrderSummary.status(
            needsReview: row.needsReview, dispute: row.dispute, payment: row.payment,
            refund: row.refund)
        #expect(status == row.status)
    }

    @Test(
        arguments: [
            ([], .settled), ([.won], .settled), ([.closed, .won], .settled), ([.open], .open),
            ([.won, .open, .closed], .open), ([.open, .lost], .lost),
            ([.lost, .open, .won], .lost),
        ] as [([DisputeStatus], Dispute.Outcome)])
    func `each row of the table of disputes`(
        statuses: [DisputeStatus], outcome: Dispute.Outcome
    ) {
        #expect(Dispute.Outcome.of(statuses) == outcome)
    }
}
