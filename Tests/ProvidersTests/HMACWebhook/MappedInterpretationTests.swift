import Payments
import Testing

@testable import Providers

@Suite struct MappedInterpretationTests {
    private func read(
        _ body: String, _ mapping: FieldMapping = HMACWebhookTests.mapping
    ) -> Notification {
        MappedInterpretation.notification(Array(body.utf8), mapping: mapping)
    }

    private static func body(
        type: String = "\"x.paid\"", amount: String = "4200", currency: String = "\"MYR\"",
        order: String = "\"REQ-1\"", charge: String = "\"CH-1\"", id: String = "\"E1\""
    ) -> String {
        """
        {"id":\(id),"type":\(type),"at":1700000000,"data":{"order":{"id":\(order)},\
        "charge":\(charge),\
        "refund":"RF-1","amount":\(amount),"currency":\(currency)}}
        """
    }

    @Test(arguments: [
        (EventType.pending, Effect.attempt(.pending, .of(4200, "MYR"))),
        (.authorized, .attempt(.authorized, .of(4200, "MYR"))),
        (.paid, .attempt(.paid, .of(4200, "MYR"))), (.failed, .attempt(.failed, .of(4200, "MYR"))),
        (.canceled, .attempt(.canceled, .of(4200, "MYR"))),
        (.expired, .attempt(.expired, .of(4200, "MYR"))),
        (.captured, .capture(id: "RF-1", .succeeded, .of(4200, "MYR"))),
        (.captureFailed, .capture(id: "RF-1", .failed, .of(4200, "MYR"))),
        (.refundPending, .refund(id: "RF-1", .pending, .of(4200, "MYR"))),
        (.refunded, .refund(id: "RF-1", .succeeded, .of(4200, "MYR"))),
        (.refundFailed, .refund(id: "RF-1", .failed, .of(4200, "MYR"))),
        (.disputed, .dispute(id: "RF-1", .open, .of(4200, "MYR"))),
        (.disputeClosed, .dispute(id: "RF-1", .closed, .of(4200, "MYR"))),
        (.disputeWon, .dispute(id: "RF-1", .won, .of(4200, "MYR"))),
        (.chargedBack, .dispute(id: "RF-1", .lost, .of(4200, "MYR"))), (.ignored, .none),
        (.reversed, .reversal(.operation, id: "RF-1", .succeeded, .of(4200, "MYR"))),
    ])
    func `every word has its effect`(_ type: EventType, _ effect: Effect) {
        let notification = read(Self.body(type: "\"x.\(type.rawValue)\""))
        #expect(notification.effect == effect && notification.flags.isEmpty)
        #expect(notification.kind == type.kind && notification.status == type.status)
        #expect(notification.reference == "REQ-1" && notification.transaction == "CH-1")
        #expect(notification.occurred == Timestamp(epochSeconds: 1_700_000_000))
    }

    @Test func `an unmapped word is kept and flagged`() {
        let notification = read(Self.body(type: "\"payment.magic\""))
        #expect(notification.effect == .none && notification.flags == [.unknownStatus])
        #expect(notification.status == "payment.magic")
    }

    @Test(arguments: [
        body(amount: "\"4200\""), body(order: "7", charge: "8", id: "9"),
    ])
    func `numbers and text are read alike`(_ body: String) {
        #expect(read(body).effect == .attempt(.paid, .of(4200, "MYR")))
    }

    @Test(arguments: [
        body(amount: "-1"), body(amount: "42.00"), body(amount: "1e3"), body(amount: "null"),
        body(amount: "\"\""), body(amount: "true"), body(amount: "[1]"),
        body(amount: "99999999999999999999"), body(currency: "\"my\""), body(currency: "1"),
        body(type: "null"), body(type: "{}"), body(type: "\"\""), body(id: "null"), body(id: "[]"),
        body(order: "null", charge: "null"), "", "{}", "[]", "null", "\u{0}", #"{"type":"x.paid"}"#,
        #"{"id":"1","id":"1","type":"x.paid"}"#,
    ])
    func `what is not understood is never paid`(_ body: String) {
        let notification = read(body)
        #expect([.none, .doubt].contains(notification.effect))
        #expect(notification.flags == [.notUnderstood])
        // An unclear amount of a named order needs review.
        let namesOrder = notification.reference != nil || notification.transaction != nil
        #expect(
            (notification.effect == .doubt) == (notification.kind == "payment" && namesOrder))
    }

    @Test func `decimal amounts follow the currency`() {
        let mapping = HMACWebhookTests.changed {
            $0.amountForm = .decimal
            $0.currency = .fixed("JPY")
        }
        #expect(
            read(Self.body(amount: "4200"), mapping).effect == .attempt(.paid, .of(4200, "JPY")))
        #expect(
            read(Self.body(amount: "\"42.00\""), mapping).effect == .attempt(.paid, .of(42, "JPY")))
        #expect(read(Self.body(amount: "42.5"), mapping).effect == .doubt)
    }

    @Test func `a boolean can be a status`() {
        let mapping = HMACWebhookTests.changed { $0.statuses = ["true": .paid, "false": .failed] }
        #expect(read(Self.body(type: "true"), mapping).effect.takesMoney)
        #expect(
            read(Self.body(type: "false"), mapping).effect == .attempt(.failed, .of(4200, "MYR")))
    }

    @Test func `identity is what is pointed at and the status`() {
        #expect(read(Self.body()).id == "E1:x.paid")
        #expect(read(Self.body(amount: "1")).id == "E1:x.paid")
        #expect(read(Self.body(type: "\"x.failed\"")).id == "E1:x.failed")
        let bare = HMACWebhookTests.changed { $0.identity = [] }
        #expect(read(Self.body(), bare).id == read(Self.body(), bare).id)
        #expect(read(Self.body(), bare).id != read(Self.body(amount: "1"), bare).id)
    }

    @Test func `without a transaction the reference stands for it`() {
        let mapping = HMACWebhookTests.changed { $0.transaction = nil }
        #expect(read(Self.body(), mapping).transaction == "REQ-1")
    }
}
