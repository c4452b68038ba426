import Cryptography
import Payments
import ProviderFixtures
import Testing

@testable import Providers

@Suite struct PayPalInterpretationTests {
    private func read(
        _ type: String, _ resource: String, mode: EndpointSettings.Mode = .live,
        isSimulated: Bool = false, reference: [PayPalReference] = [.customID]
    ) -> Notification {
        let body = #"{"id":"WH-1","event_type":"\#(type)","resource":{\#(resource)}}"#
        return PayPalInterpretation.notification(
            PayPalEvidence(body: Array(body.utf8), isSimulated: isSimulated),
            reference: reference, mode: mode)
    }

    private func amount(_ value: String, _ currency: String = "EUR") -> String {
        #""amount":{"currency_code":"\#(currency)","value":"\#(value)"}"#
    }

    @Test(arguments: [
        ("PENDING", AttemptStatus.pending, false), ("DECLINED", .failed, false),
        ("COMPLETED", .paid, false), ("PARTIALLY_REFUNDED", .paid, false),
        ("SOMETHING", .pending, true),
    ])
    func `the lesser of the event's name and the resource's status counts`(
        _ word: String, _ status: AttemptStatus, _ isUnknown: Bool
    ) {
        let read = read(
            "PAYMENT.CAPTURE.COMPLETED", #""id":"C","status":"\#(word)",\#(amount("1.00"))"#)
        #expect(read.effect == .attempt(status, .of(100, "EUR")))
        #expect(read.flags == (isUnknown ? [.unknownStatus] : []))
    }

    @Test func `a sale that is held is pending, although its state is completed`() {
        let read = read(
            "PAYMENT.SALE.PENDING",
            #""id":"S","state":"completed","payment_hold_status":"HELD","#
                + #""amount":{"total":"5.00","currency":"EUR"}"#)
        #expect(read.effect == .attempt(.pending, .of(500, "EUR")))
    }

    @Test func `a live endpoint never counts what the simulator made up`() {
        let resource = #""id":"C",\#(amount("30.00", "USD"))"#
        let simulated = read("PAYMENT.CAPTURE.COMPLETED", resource, isSimulated: true)
        #expect(simulated.effect == .none && simulated.flags == [.testMode])
        let tested = read("PAYMENT.CAPTURE.COMPLETED", resource, mode: .test)
        #expect(tested.effect == .attempt(.paid, .of(3000, "USD")) && tested.flags == [.testMode])
    }

    @Test(
        arguments: [
            (".50", "EUR", 50), ("4990", "HUF", 499_000), ("1500", "JPY", 1500),
            ("1500.00", "JPY", 1500), ("5.125", "TND", 5125), ("-1.00", "EUR", nil),
            ("1e2", "EUR", nil), ("1,00", "EUR", nil), ("1.001", "EUR", nil), ("1.00", "ABC", nil),
            ("99999999999999999999.00", "EUR", nil),
        ] as [(String, String, Int64?)])
    func `amounts are read digit by digit`(_ value: String, _ currency: String, _ minor: Int64?) {
        let read = read("PAYMENT.CAPTURE.COMPLETED", #""id":"C",\#(amount(value, currency))"#)
        if let minor {
            #expect(read.effect == .attempt(.paid, .of(minor, currency)))
        } else {
            #expect(read.effect == .doubt && read.flags == [.notUnderstood])
            #expect(read.transaction == "C")
        }
    }

    @Test func `only a refund of the old API may have a minus`() {
        let old = read(
            "PAYMENT.SALE.REFUNDED",
            #""id":"R","sale_id":"S","amount":{"total":"-10.00","currency":"USD"}"#)
        #expect(old.effect == .refund(id: "R", .succeeded, .of(1000, "USD")))
        let new = read(
            "PAYMENT.CAPTURE.REFUNDED",
            #""id":"R","status":"COMPLETED",\#(amount("-10.00")),"#
                + #""links":[{"rel":"up","href":"https://x/v2/payments/captures/C"}]"#)
        #expect(new.effect == .doubt && new.transaction == "C")
    }

    @Test func `the reference stands where the merchant says`() {
        let resource = #""id":"C",\#(amount("1.00")),"custom_id":"","invoice_id":"INV-1""#
        #expect(read("PAYMENT.CAPTURE.COMPLETED", resource).reference == nil)
        #expect(
            read("PAYMENT.CAPTURE.COMPLETED", resource, reference: [.customID, .invoiceID])
                .reference == "INV-1")
        let sale =
            #""id":"S","custom":"A","invoice_number":"B","#
            + #""amount":{"total":"1.00","currency":"EUR"}"#
        #expect(
            read("PAYMENT.SALE.COMPLETED", sale, reference: [.invoiceID, .customID]).reference
                == "B")
    }

    @Test func `a capture of an authorization that is pending changes nothing`() {
        let read = read(
            "PAYMENT.CAPTURE.PENDING",
            #""id":"C",\#(amount("1.00")),"custom_id":"O","#
                + #""supplementary_data":{"related_ids":{"authorization_id":"A"}}"#)
        #expect(read.effect == .none && read.transaction == "A" && read.alias == "O")
    }

    @Test(arguments: [
        ("RESOLVED_WITH_PAYOUT", []), ("ACCEPTED", [Flag.providerReview]),
        ("DENIED", [.providerReview]), ("SOMETHING", [.unknownStatus]),
    ])
    func `a dispute that neither side has won is closed`(_ outcome: String, _ flags: [Flag]) {
        let read = read(
            "CUSTOMER.DISPUTE.RESOLVED",
            #""dispute_id":"D","dispute_amount":{"currency_code":"EUR","value":"1.00"},"#
                + #""disputed_transactions":[{"seller_transaction_id":"C"}],"#
                + #""dispute_outcome":{"outcome_code":"\#(outcome)"}"#)
        #expect(read.effect == .dispute(id: "D", .closed, .of(100, "EUR")))
        #expect(read.flags == flags && read.transaction == "C")
    }

    /// A dispute that the merchant lost, and PayPal's reversal of the same capture.
    @Test func `a lost dispute and its reversal are one story`() {
        let link = #""links":[{"rel":"up","href":"https://x/v2/payments/captures/C"}]"#
        let events = [
            read("PAYMENT.CAPTURE.COMPLETED", #""id":"C","custom_id":"O",\#(amount("42.00"))"#),
            read(
                "CUSTOMER.DISPUTE.RESOLVED",
                #""dispute_id":"D","dispute_amount":{"currency_code":"EUR","value":"42.00"},"#
                    + #""disputed_transactions":[{"seller_transaction_id":"C"}],"#
                    + #""dispute_outcome":{"outcome_code":"RESOLVED_BUYER_FAVOUR"}"#),
            read(
                "PAYMENT.CAPTURE.REVERSED",
                #""id":"V","status":"COMPLETED",\#(amount("42.00")),\#(link)"#),
        ]
        for events in [events, events.reversed()] {
            let order = events.reduce(Order(reference: "O")) { $0.applying($1) }
            #expect(order.status == .chargedBack && order.refunded == .of(4200, "EUR"))
        }
    }

    @Test func `an authorization that is voided is canceled without contradiction`() {
        let resource = #""id":"A","custom_id":"O",\#(amount("42.00"))"#
        let events = [
            read("PAYMENT.AUTHORIZATION.CREATED", resource),
            read("PAYMENT.AUTHORIZATION.VOIDED", resource),
        ]
        for events in [events, events.reversed()] {
            let order = events.reduce(Order(reference: "O")) { $0.applying($1) }
            #expect(order.status == .canceled && order.summary.flags.isEmpty)
        }
    }
}
