import Testing

@testable import Payments

@Suite struct OrderCodecTests {
    @Test func `the golden bytes of version 4 never change`() {
        let paid = order(attempt(.paid, money(4200)))
        #expect(
            paid.encoded() == [
                4, 1, 1, 0x52,  // version, head, reference "R"
                1, 1, 0x54, 1,  // one attempt "T" with one report
                0x2f, 0x22, 0x31, 0xe8, 0x20,  // paid, an amount with its currency MYR, 4200
            ])

        var instalment = attempt(.paid, nil)
        instalment.method = "m"
        instalment.agreement = "g"
        #expect(
            order(instalment).encoded() == [
                4, 1, 1, 0x52, 1, 1, 0x54, 49, 7,  // both, and one report
                1, 0x6d, 1, 0x67,  // paid by "m", an instalment of "g"
            ])
        #expect(Order(encoded: order(instalment).encoded()) == order(instalment))

        var full = order(
            attempt(.authorized, money(100)), attempt(.authorized, money(90)),
            capture("C", .succeeded, nil), refund("F", .failed, money(1, "EUR")), dispute(.open))
        full.apply(notification(.none, flags: [.testMode]))
        full = full.registering(
            Registration(amount: money(100), expires: Timestamp(microseconds: -3)))
        #expect(
            full.encoded() == [
                4, 0x3f, 1, 0x52, 0x40,  // all of the head, reference "R", flag test_mode
                0x22, 0x31, 100, 5,  // expected 1.00 MYR, until 3 µs before 1970
                1, 1, 0x54, 65,  // one attempt "T" with one report and one capture
                0x1b, 90, 1, 0x22, 0x31, 100,  // authorised: 0.90 and one more claim, 1.00 MYR
                1, 0x43, 1, 2,  // capture "C", succeeded
                1, 1, 0x46, 9, 1, 0x29, 0x0c, 0xa9, 1,  // refund "F" of attempt 1, failed, 0.01 EUR
                1, 1, 0x44, 9, 1, 0x28, 0x22, 0x31, 100,  // dispute "D", open, 1.00 MYR
            ])
        #expect(Order(encoded: full.encoded()) == full)
    }

    @Test func `the golden bytes of what is rare never change`() {
        var charge = attempt(.failed, nil)
        charge.reason = Reason(code: "X", message: "m")
        charge.refundedAtLeast = money(7)
        var reversal = notification(
            .reversal(.dispute, id: "V", .succeeded, nil), reference: nil, transaction: "D")
        reversal.alias = "A"
        let claim = RefundClaim(amount: money(5), refunded: nil, moment: "M")
        let rare = order(
            charge, reversal, notification(.unclearRefund(id: "U", .pending, claim)),
            notification(.doubt, transaction: "W"))
        #expect(
            rare.encoded() == [
                4, 0x40, 0x1f,  // more, all of it
                2, 1, 0x41, 0, 1, 0x52, 2,  // an alias "A", a payment's reference "R"
                1, 1, 0x54, 1, 0x46, 1, 0x58, 1, 0x6d,  // attempt "T", failed for "X", "m"
                1, 2, 1, 0x56, 9, 0, 1, 0x44, 2,  // of a dispute, "V", of "D", succeeded
                1, 1, 0x55, 0x28, 0x22, 0x31, 5, 1, 0x4d,  // claim "U", pending, 0.05 MYR, "M"
                0x22, 0x31, 7,  // at least 0.07 MYR refunded
                2, 1, 0x54, 1, 0x57,  // mentions "T" and "W"
            ])
        #expect(Order(encoded: rare.encoded()) == rare)
    }

    @Test func `an order paid once takes at most 64 bytes`() {
        let reference = String(repeating: "r", count: 22)
        let transaction = String(repeating: "t", count: 22)
        let order = Order(reference: reference).applying(
            notification(
                .attempt(.paid, money(123_456_789)), reference: reference,
                transaction: transaction))
        #expect(order.encoded().count <= 64)
        #expect(Order(encoded: order.encoded()) == order)
    }

    @Test(arguments: [
        Order(), Order(reference: ""), Order(reference: "\u{1F600}é"),
        Order().applying(attempt(.pending)),
    ])
    func `an order of which nothing is known comes back`(order: Order) {
        #expect(Order(encoded: order.encoded()) == order)
    }

    @Test func `a long reference comes back`() {
        let order = Order(reference: String(repeating: "r", count: 100_000))
        #expect(Order(encoded: order.encoded()) == order)
    }

    @Test func `appending leaves what was there and a slice is read from its start`() {
        let paid = order(attempt(.paid))
        var bytes: [UInt8] = [9, 9]
        paid.encode(into: &bytes)
        #expect(bytes == [9, 9] + paid.encoded())
        #expect(Order(encoded: bytes[2...]) == paid)
    }

    @Test(
        arguments: [
            [], [4], [0, 0, 0], [1, 0, 0], [3, 0, 0],  // no version, no head, other versions
            [4, 128, 0], [4, 8, 0], [4, 0, 0, 0],  // unknown head, expiry alone, a byte too many
            [4, 1, 2, 0x52, 0], [4, 1, 1, 0xff, 0],  // reference too long, not UTF-8
            [4, 2, 0, 0], [4, 2, 0x81, 0, 0],  // no flags, a number in a longer form than needed
            [4, 2, 0xff, 0xff, 0xff, 0xff, 0x0f, 0],  // unknown flags
            [4, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],  // 2^64 - 1
            [4, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02],  // beyond 64 bits
            [4, 0, 2, 1, 0x42, 0, 1, 0x41, 0], [4, 0, 2, 1, 0x41, 0, 1, 0x41, 0],  // falling, twice
            [4, 0, 1, 1, 0x54, 64, 1, 0x43, 1, 0x03],  // no such status
            [4, 0, 1, 1, 0x54, 1, 0x80],  // no such bit
            [4, 0, 1, 1, 0x54, 2, 5, 1], [4, 0, 1, 1, 0x54, 2, 5, 5],  // falling, twice
            [4, 0, 1, 1, 0x54, 1, 0x0d, 1],  // an amount without a currency
            [4, 0, 1, 1, 0x54, 1, 0x15], [4, 0, 1, 1, 0x54, 1, 0x25],  // no amount
            [4, 0, 1, 1, 0x54, 1, 0x2d, 0xff, 0xff, 1],  // no such currency
            [4, 0, 1, 1, 0x54, 1, 0x2d, 0x22, 0x31]
                + [UInt8](repeating: 0xff, count: 9) + [1],  // an amount below zero
            [4, 0, 1, 1, 0x54, 1, 0x3d, 0x22, 0x31, 2, 1, 0x22, 0x31, 1],  // claims that fall
            [4, 0, 1, 1, 0x54, 1, 0x3d, 0x22, 0x31, 2, 1, 0x22, 0x31, 2],  // a claim twice
            [4, 0, 1, 1, 0x54, 1, 0x45, 0, 0],  // an empty reason
            [4, 64, 0, 0], [4, 64, 32, 0],  // nothing more, something unknown
            [4, 64, 1, 1, 1, 0x52, 2, 0], [4, 64, 1, 1, 1, 0x52, 4, 0],  // plain, no such role
            [4, 16, 1, 1, 0x54, 1, 5, 1, 1, 0x46, 9, 0, 1, 0x54, 2],  // an attempt by its id
            [4, 0, 1, 1, 0x54, 2, 0x2d, 0x22, 0x31, 1, 0x2d, 0x22, 0x31, 1],  // currency repeated
            [4, 16, 0, 0], [4, 16, 0, 1, 1, 0x46, 0],  // no refunds, a refund without reports
            [4, 16, 0, 1, 1, 0x46, 9, 0, 2], [4, 16, 0, 1, 1, 0x46, 17, 2],  // no attempt, bad head
            [4, 64, 4, 0, 1, 1, 0x55, 0x40], [4, 64, 4, 0, 1, 1, 0x55, 0x41],  // no contradiction
            [4, 64, 4, 0, 1, 1, 0x55, 0x80],  // an unknown bit of a claim
            [4, 4, 0x22, 0x31, 1], [4, 4, 1],  // expectation, and then no attempts; half a currency
        ] as [[UInt8]])
    func damageIsNil(bytes: [UInt8]) {
        #expect(Order(encoded: bytes) == nil)
    }
}
