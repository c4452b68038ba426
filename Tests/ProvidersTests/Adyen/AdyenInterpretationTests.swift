import Payments
import Testing

@testable import Providers

/// What Adyen's event codes mean.
@Suite struct AdyenInterpretationTests {
    private static let money = Money.of(4200, "EUR")
    private static let psp = "PSP0000000000001"
    private static let payment = "PAY0000000000001"

    /// Event code, success, the effect, and the id that it refers to.
    private static let table: [(String, String, Effect, String?)] = [
        ("AUTHORISATION", "true", .attempt(.authorized, money), psp),
        ("AUTHORISATION", "false", .attempt(.failed, money), psp),
        ("AUTHORISATION_ADJUSTMENT", "true", .attempt(.authorized, money), payment),
        ("AUTHORISATION_ADJUSTMENT", "false", .none, payment),
        ("CAPTURE", "true", .capture(id: psp, .succeeded, money), payment),
        ("CAPTURE", "false", .capture(id: psp, .failed, money), payment),
        ("CAPTURE_FAILED", "true", .capture(id: psp, .failed, money), payment),
        (
            "CANCELLATION", "true", .reversal(.authorization, id: psp, .succeeded, money), payment
        ),
        ("CANCELLATION", "false", .none, payment),
        (
            "TECHNICAL_CANCEL", "true", .reversal(.authorization, id: psp, .succeeded, money),
            payment
        ),
        ("CANCEL_OR_REFUND", "true", .reversal(.operation, id: psp, .succeeded, money), payment),
        ("CANCEL_OR_REFUND", "false", .none, payment),
        ("REFUND", "true", .refund(id: psp, .succeeded, money), payment),
        ("REFUND", "false", .refund(id: psp, .failed, money), payment),
        ("REFUND_WITH_DATA", "true", .refund(id: psp, .succeeded, money), payment),
        ("REFUND_FAILED", "true", .refund(id: psp, .failed, money), payment),
        ("VOID_PENDING_REFUND", "true", .refund(id: psp, .failed, money), payment),
        ("REFUNDED_REVERSED", "true", .reversal(.refund, id: psp, .succeeded, money), psp),
        ("POSTPONED_REFUND", "true", .refund(id: psp, .pending, money), payment),
        ("EXPIRE", "true", .attempt(.expired, money), payment),
        ("OFFER_CLOSED", "true", .attempt(.expired, money), payment),
        ("NOTIFICATION_OF_CHARGEBACK", "true", .dispute(id: psp, .open, money), payment),
        ("REQUEST_FOR_INFORMATION", "true", .dispute(id: psp, .open, money), payment),
        ("INFORMATION_SUPPLIED", "true", .dispute(id: psp, .open, money), payment),
        ("PREARBITRATION_OPEN", "true", .dispute(id: psp, .open, money), payment),
        ("SCHEME_ARBITRATION", "true", .dispute(id: psp, .open, money), payment),
        ("CHARGEBACK", "true", .dispute(id: psp, .lost, money), payment),
        (
            "CHARGEBACK_REVERSED", "true", .reversal(.dispute, id: psp, .succeeded, money), payment
        ),
        (
            "PREARBITRATION_WON", "true", .reversal(.dispute, id: "\(psp):2", .succeeded, money),
            payment
        ),
        (
            "SCHEME_ARBITRATION_WON", "true",
            .reversal(.dispute, id: "\(psp):2", .succeeded, money), payment
        ),
        ("SECOND_CHARGEBACK", "true", .dispute(id: "\(psp):2", .lost, money), payment),
        ("PREARBITRATION_LOST", "true", .dispute(id: "\(psp):2", .lost, money), payment),
        ("SCHEME_ARBITRATION_LOST", "true", .dispute(id: "\(psp):2", .lost, money), payment),
        ("ORDER_OPENED", "true", .none, payment), ("ORDER_CLOSED", "false", .none, payment),
        ("RECURRING_CONTRACT", "true", .none, payment),
    ]

    @Test func `each event code has its effect`() throws {
        for (code, success, effect, transaction) in Self.table {
            let read = try AdyenFixture(code, success, original: Self.payment).read()
            let name = Comment(rawValue: "\(code) \(success)")
            #expect(read.effect == effect, name)
            #expect(read.transaction == transaction, name)
            #expect(read.id == "ShopECOM:\(Self.psp):\(code):\(success)", name)
            #expect(read.flags.isEmpty, name)
            // Only the payment's own notification carries its reference.
            let isPayment = code == "AUTHORISATION"
            #expect(read.reference == (isPayment ? "ORD-1" : nil), name)
            #expect(read.alias == (isPayment ? nil : "ORD-1"), name)
        }
    }

    @Test func `with automatic capture an authorisation is the payment`() throws {
        #expect(try AdyenFixture().read(.automatic).effect == .attempt(.paid, Self.money))
        #expect(
            try AdyenFixture("AUTHORISATION", "false").read(.automatic).effect
                == .attempt(.failed, Self.money))
    }

    @Test(arguments: ["NOTIFICATION_OF_FRAUD", "MANUAL_REVIEW_ACCEPT", "MANUAL_REVIEW_REJECT"])
    func `a warning of fraud asks for a person and moves nothing`(_ code: String) throws {
        let read = try AdyenFixture(code, original: Self.payment).read()
        #expect(read.effect == .none && read.flags == [.providerReview])
    }

    /// The webhook may be set to leave out `originalReference`.
    @Test func `a dispute without a payment's id joins by the order's reference`() throws {
        let read = try AdyenFixture("CHARGEBACK").read()
        #expect(read.reference == "ORD-1" && read.transaction == nil)
        #expect(read.effect == .dispute(id: Self.psp, .lost, Self.money))
    }

    @Test func `what names neither payment nor order is not understood`() throws {
        for code in ["CAPTURE", "REFUND", "CHARGEBACK", "AUTHORISATION_ADJUSTMENT", "CANCELLATION"]
        {
            var fixture = AdyenFixture(code)
            fixture.reference = ""
            let read = try fixture.read()
            #expect(read.effect == .doubt && read.flags == [.notUnderstood], "\(code)")
        }
    }

    @Test func `an unknown success is not understood, and accepted`() throws {
        for (code, success) in [
            ("AUTHORISATION", "maybe"), ("AUTHORISATION", ""), ("AUTHORISATION", "TRUE"),
            ("CHARGEBACK", "false"), ("EXPIRE", "false"), ("POSTPONED_REFUND", "false"),
        ] {
            let read = try AdyenFixture(code, success).read(.automatic)
            #expect(read.effect == .doubt && read.flags == [.notUnderstood], "\(code) \(success)")
        }
    }

    /// Adyen's minor units, in those of ISO 4217.
    @Test(arguments: [
        ("CLP", "150000", 1500 as Int64?), ("CLP", "150050", nil), ("ISK", "4200", 42),
        ("IDR", "4200", 420_000), ("CVE", "42", 4200), ("IDR", "9223372036854775807", nil),
        ("JPY", "300", 300), ("KWD", "5125", 5125), ("EUR", "9223372036854775808", nil),
        ("EUR", "-5", -5), ("eur", "5", nil), ("XYZ", "5", nil), ("", "5", nil),
    ])
    func `amounts are in the currency's smallest unit`(
        _ currency: String, _ value: String, _ minor: Int64?
    ) throws {
        var fixture = AdyenFixture()
        (fixture.currency, fixture.value) = (currency, value)
        let read = try fixture.read()
        guard let minor else {
            #expect(read.effect == .doubt && read.flags == [.notUnderstood])
            return
        }
        #expect(read.effect == .attempt(.authorized, .of(minor, currency)))
    }

    @Test func `a failure counts without a sum, too`() throws {
        var fixture = AdyenFixture("AUTHORISATION", "false")
        (fixture.currency, fixture.reason) = ("XYZ", "Refused")
        let read = try fixture.read()
        #expect(read.effect == .attempt(.failed, nil) && read.reason?.message == "Refused")
    }

    /// `live` is not signed: it can only make an event count for less.
    @Test func `a test is kept and never counted at a live endpoint`() throws {
        let provider = try AdyenFixture.provider(.automatic)
        for live in ["\"false\"", "true", "null", "\"TRUE\""] {
            let body = AdyenFixture.body([AdyenFixture()], live: live)
            let read = try provider.receive(SignedRequest(body: body))
            #expect(read.effect == .none && read.flags == [.testMode], "\(live)")
        }
        for psp in [
            "test_AUTHORISATION_1", "testnotification_NOTIFICATIONTEST", "psp0000000000001",
        ] {
            var fixture = AdyenFixture()
            fixture.psp = psp
            let read = try fixture.read(.automatic)
            #expect(read.effect == .none && read.flags == [.testMode], "\(psp)")
            #expect(try fixture.read(.automatic, .test).effect == .attempt(.paid, Self.money))
            // Nor does a test put an order into review.
            fixture.success = "maybe"
            #expect(try fixture.read(.automatic).effect == .none)
        }
    }

    @Test func `a retry with another date is the same event`() throws {
        var fixture = AdyenFixture()
        let first = try fixture.read()
        fixture.date = "2026-01-02T01:00:00+01:00"
        fixture.reason = "later"
        let second = try fixture.read()
        #expect(first.id == second.id && first.contentBytes == second.contentBytes)
        fixture.success = "false"
        #expect(try fixture.read().id != first.id)
    }

    // MARK: Lives

    private func order(_ fixtures: [AdyenFixture]) throws -> Set<OrderStatus> {
        let read = try fixtures.map { try $0.read() }
        return Set(
            [read, read.reversed()].map { $0.reduce(Order(reference: "ORD-1")) { $0.applying($1) } }
                .map(\.status))
    }

    private func flags(_ fixtures: [AdyenFixture]) throws -> [Flag] {
        try fixtures.map { try $0.read() }
            .reduce(Order(reference: "ORD-1")) { $0.applying($1) }.flags
    }

    @Test func `a refused first try that is delivered late does not undo the second`() throws {
        var second = AdyenFixture()
        second.psp = "PSP0000000000002"
        var capture = AdyenFixture("CAPTURE", original: second.psp)
        capture.psp = "CAP0000000000001"
        #expect(
            try order([second, capture, AdyenFixture("AUTHORISATION", "false")]) == [.paid])
    }

    @Test func `an abandoned first offer that is closed last does not expire the order`() throws {
        var offer = AdyenFixture("OFFER_CLOSED")
        offer.psp = "OFF0000000000001"
        #expect(try order([AdyenFixture(), offer]) == [.authorized])
    }

    @Test func `a refund that came back leaves the order paid`() throws {
        var capture = AdyenFixture("CAPTURE", original: Self.psp)
        capture.psp = "CAP0000000000001"
        var refund = AdyenFixture("REFUND", original: Self.psp)
        refund.psp = "REF0000000000001"
        #expect(try order([AdyenFixture(), capture, refund]) == [.refunded])
        var back = refund
        back.event = "REFUNDED_REVERSED"
        #expect(try order([AdyenFixture(), capture, refund, back]) == [.paid])
    }

    @Test func `an authorisation that is cancelled is canceled`() throws {
        for code in ["CANCELLATION", "TECHNICAL_CANCEL", "CANCEL_OR_REFUND"] {
            var cancel = AdyenFixture(code, original: Self.psp)
            cancel.psp = "CAN0000000000001"
            #expect(try order([AdyenFixture(), cancel]) == [.canceled], "\(code)")
            #expect(try flags([AdyenFixture(), cancel]).isEmpty, "\(code)")
        }
    }

    @Test func `a chargeback counts until it is reversed, and its repetition again`() throws {
        var capture = AdyenFixture("CAPTURE", original: Self.psp)
        capture.psp = "CAP0000000000001"
        var events = [AdyenFixture(), capture]
        for (code, status) in [
            ("NOTIFICATION_OF_CHARGEBACK", OrderStatus.disputed), ("CHARGEBACK", .chargedBack),
            ("CHARGEBACK_REVERSED", .paid), ("SECOND_CHARGEBACK", .chargedBack),
            ("PREARBITRATION_WON", .paid),
        ] {
            var dispute = AdyenFixture(code, original: Self.psp)
            dispute.psp = "DIS0000000000001"
            events.append(dispute)
            #expect(try order(events) == [status], "\(code)")
            #expect(try flags(events).isEmpty, "\(code)")
        }
    }

    @Test func `the rest that expires after a capture leaves the order paid`() throws {
        var capture = AdyenFixture("CAPTURE", original: Self.psp)
        capture.psp = "CAP0000000000001"
        let expire = AdyenFixture("EXPIRE", original: Self.psp)
        #expect(try order([AdyenFixture(), capture, expire]) == [.paid])
    }
}
