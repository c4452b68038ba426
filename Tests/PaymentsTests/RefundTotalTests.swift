import Testing

@testable import Payments

@Suite struct RefundTotalTests {
    @Test(
        arguments: [
            (RefundTotal(sum: nil), 100, .nothing), (RefundTotal(sum: money(0)), 100, .nothing),
            (RefundTotal(sum: money(0)), 0, .nothing), (RefundTotal(sum: nil), nil, .nothing),
            (RefundTotal(sum: nil, hasUnknownAmount: true), 100, .part),
            (RefundTotal(sum: money(0), hasUnknownAmount: true), 0, .part),
            (RefundTotal(sum: money(99)), 100, .part), (RefundTotal(sum: money(99)), nil, .part),
            (RefundTotal(sum: money(100)), 100, .whole),
            (RefundTotal(sum: money(101)), 100, .whole),
            (RefundTotal(sum: money(100), hasUnknownAmount: true), 100, .whole),
        ] as [(RefundTotal, Int64?, RefundTotal.Share)])
    func `each row of the table of shares`(
        total: RefundTotal, amount: Int64?, share: RefundTotal.Share
    ) {
        #expect(total.share(of: amount.map { money($0) }) == share)
    }

    @Test(
        arguments: [
            (RefundTotal(sum: money(100)), 100, true, false),
            (RefundTotal(sum: money(101)), 100, true, true),
            (RefundTotal(sum: money(101)), nil, true, false),
            (RefundTotal(sum: money(1)), 100, false, true),
            (RefundTotal(sum: money(0)), 100, false, false),
            (RefundTotal(sum: nil), nil, false, false),
            (RefundTotal(sum: nil, hasUnknownAmount: true), nil, false, true),
            (RefundTotal(sum: nil, hasUnknownAmount: true), 100, true, false),
        ] as [(RefundTotal, Int64?, Bool, Bool)])
    func `more went back than came in`(
        total: RefundTotal, amount: Int64?, isPaid: Bool, exceeds: Bool
    ) {
        #expect(total.exceeds(amount.map { money($0) }, isPaid: isPaid) == exceeds)
    }
}
