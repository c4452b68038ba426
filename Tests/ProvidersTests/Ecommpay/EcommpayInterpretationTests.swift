import Payments
import Testing

@testable import Providers

@Suite struct EcommpayInterpretationTests {
    typealias Fixture = EcommpayFixture

    static let money = Money.of(4200, "EUR")

    /// Verification of a card. No money is taken.
    @Test(arguments: [
        ("success", 0, Effect.attempt(.paid, .of(0, "EUR"))),
        ("success", 100, .attempt(.authorized, .of(100, "EUR"))),
        ("decline", 0, .attempt(.failed, .of(0, "EUR"))),
        ("expired", 0, .attempt(.expired, .of(0, "EUR"))),
        ("awaiting 3ds result", 0, .attempt(.pending, .of(0, "EUR"))),
    ])
    func `a verification is a payment of nothing`(status: String, minor: Int, effect: Effect) throws
    {
        let told = try Fixture.read(
            Fixture.members(
                type: "account verification", operation: status, payment: status,
                paymentType: "account verification",
                sum: #"{"amount":\#(minor),"currency":"EUR"}"#))
        #expect(told.effect == effect && told.kind == "account_verification")
        #expect(told.reference == "ORD-1" && told.transaction == "77")
        let payment = try Fixture.read(
            Fixture.members(
                type: nil, operation: nil, payment: status, paymentType: "account verification",
                sum: #"{"amount":\#(minor),"currency":"EUR"}"#))
        #expect(payment.effect == effect && payment.transaction == nil)
    }

    struct Row: Sendable {
        let type, operation, payment: String?
        let effect: Effect
        var flags: [Flag] = []

        init(
            _ type: String?, _ operation: String?, _ payment: String?, _ effect: Effect,
            _ flags: [Flag] = []
        ) {
            self.type = type
            self.operation = operation
            self.payment = payment
            self.effect = effect
            self.flags = flags
        }
    }

    @Test(arguments: [
        Row("sale", "success", "success", .attempt(.paid, money)),
        Row("sale", "success", nil, .attempt(.paid, money)),
        Row("sale", nil, "success", .attempt(.paid, money)),
        Row("sale", "success", "refunded", .attempt(.paid, money)),
        Row("sale", "success", "partially refunded", .attempt(.paid, money)),
        Row("sale", "success", "reversed", .attempt(.paid, money)),
        Row("sale", "success", "partially reversed", .attempt(.paid, money)),
        Row("sale", "success", "processing", .attempt(.pending, money)),
        Row("sale", "success", "awaiting 3ds result", .attempt(.pending, money)),
        Row("sale", "success", "awaiting capture", .attempt(.authorized, money)),
        Row("sale", "success", "decline", .attempt(.failed, money)),
        Row("sale", "success", "settled", .attempt(.pending, nil), [.unknownStatus]),
        Row("sale", "decline", "success", .attempt(.failed, money)),
        Row("sale", "processing", "success", .attempt(.pending, money)),
        Row("sale", "settled", "success", .attempt(.pending, money)),
        Row("sale", "decline", "decline", .attempt(.failed, money)),
        Row("sale", "decline", "processing", .attempt(.failed, money)),
        Row("sale", "decline", "awaiting capture", .attempt(.failed, money)),
        Row("sale", "expired", "success", .attempt(.expired, money)),
        Row("sale", "canceled", "success", .attempt(.canceled, money)),
        Row("sale", "awaiting 3ds result", "awaiting capture", .attempt(.pending, money)),
        Row("sale", "error", "error", .attempt(.failed, money)),
        Row("sale", "processing", "internal error", .attempt(.failed, money)),
        Row("sale", "processing", "external error", .attempt(.failed, money)),
        Row(
            "sale", "awaiting redirect result", "awaiting redirect result",
            .attempt(.pending, money)),
        Row("sale", "awaiting customer", "awaiting customer", .attempt(.pending, money)),
        Row("sale", "awaiting clarification", nil, .attempt(.pending, money)),
        Row("sale", "awaiting anything new", nil, .attempt(.pending, money)),
        Row("sale", "expired", "expired", .attempt(.expired, money)),
        Row("sale", "processing", "canceled", .attempt(.canceled, money)),
        Row("sale", "processing", "cancelled", .attempt(.canceled, money)),
        Row("sale", nil, nil, .attempt(.pending, nil), [.unknownStatus]),
        Row("recurring", "success", "success", .attempt(.paid, money)),
        Row("auth", "success", "awaiting capture", .attempt(.authorized, money)),
        Row("auth", "success", "success", .attempt(.authorized, money)),
        Row("auth", "success", nil, .attempt(.authorized, money)),
        Row("auth", "success", "decline", .attempt(.authorized, money)),
        Row("auth", "success", "canceled", .attempt(.canceled, money)),
        Row("auth", "decline", "decline", .attempt(.failed, money)),
        Row("auth", "processing", "processing", .attempt(.pending, money)),
        Row("auth", "decline", "awaiting capture", .attempt(.failed, money)),
        Row("auth", "processing", "awaiting capture", .attempt(.pending, money)),
        Row("auth", "expired", "success", .attempt(.expired, money)),
        Row("capture", "success", "success", .capture(id: "77", .succeeded, money)),
        Row("capture", "decline", "awaiting capture", .capture(id: "77", .failed, money)),
        Row("capture", "processing", "processing", .capture(id: "77", .pending, money)),
        Row(
            "cancel", "success", "canceled",
            .reversal(.authorization, id: "77", .succeeded, money)),
        Row(
            "cancel", "decline", "awaiting capture",
            .reversal(.authorization, id: "77", .failed, money)),
        Row("refund", "success", "refunded", .refund(id: "77", .succeeded, money)),
        Row("refund", "success", "partially refunded", .refund(id: "77", .succeeded, money)),
        Row("refund", "decline", "success", .refund(id: "77", .failed, money)),
        Row("refund", "processing", "success", .refund(id: "77", .pending, money)),
        Row("refund", "awaiting finalization", nil, .refund(id: "77", .pending, money)),
        Row("refund", "odd", "success", .refund(id: "77", .pending, nil), [.unknownStatus]),
        Row("reversal", "success", "reversed", .reversal(.operation, id: "77", .succeeded, money)),
        Row(
            "reversal", "success", "partially reversed",
            .reversal(.operation, id: "77", .succeeded, money)),
        Row(
            "refund reverse", "success", "success",
            .reversal(.refund, id: "77", .succeeded, money)),
        Row("chargeback", "success", "success", .dispute(id: "77", .lost, money)),
        Row("chargeback", "decline", "success", .dispute(id: "77", .won, money)),
        Row("chargeback", "odd", "success", .dispute(id: "77", .open, money), [.unknownStatus]),
        Row(
            "incremental", "success", "awaiting capture",
            .reversal(.increase, id: "77", .succeeded, money)),
        Row(
            "incremental", "decline", "awaiting capture",
            .reversal(.increase, id: "77", .failed, money)),
        Row("invoice", "success", "success", .attempt(.pending, nil)),
        Row("payout", "success", "success", .none),
        Row("account verification", "success", "success", .attempt(.authorized, money)),
        Row("teleport", "success", "success", .none, [.unknownKind]),
        Row(nil, nil, "success", .attempt(.paid, money)),
        Row(nil, nil, "partially refunded", .attempt(.paid, money)),
        Row(nil, nil, "decline", .attempt(.failed, money)),
        Row(nil, nil, "awaiting capture", .attempt(.authorized, money)),
        Row(nil, nil, "odd", .attempt(.pending, nil), [.unknownStatus]),
        Row(nil, "success", "success", .doubt, [.notUnderstood]),
        Row(nil, nil, nil, .doubt, [.notUnderstood]),
    ])
    func theDecisionTable(_ row: Row) throws {
        let notification = try Fixture.read(
            Fixture.members(type: row.type, operation: row.operation, payment: row.payment))
        #expect(notification.effect == row.effect)
        #expect(notification.flags == row.flags)
        #expect(notification.reference == "ORD-1")
        if row.flags != [.notUnderstood] {
            let operation = row.type == nil ? "" : "77"
            #expect(
                notification.id
                    == "payment:115:ORD-1:\(operation):\(row.operation ?? ""):\(row.payment ?? "")")
        }
    }

    /// A payment that reports a refund is not simply paid.
    @Test(
        arguments: [
            ("refunded", money), ("reversed", money), ("partially refunded", .of(1, "EUR")),
            ("partially reversed", .of(1, "EUR")), ("success", nil),
        ] as [(String, Money?)])
    func `a payment says what went back at least`(_ payment: String, _ least: Money?) throws {
        for type in ["sale", nil] {
            let notification = try Fixture.read(
                Fixture.members(
                    type: type, operation: type == nil ? nil : "success", payment: payment))
            #expect(notification.effect == .attempt(.paid, Self.money))
            #expect(notification.refundedAtLeast == least)
        }
    }

    @Test func `a second try after a decline is a second attempt`() throws {
        let declined = try Fixture.read(
            Fixture.members(type: "sale", operation: "decline", payment: "decline"))
        let paid = try Fixture.read(
            Fixture.members(type: "sale", operation: "success", payment: "success")
                .replacing("\"id\":77", with: "\"id\":78"))
        #expect(declined.transaction == "77" && paid.transaction == "78")
    }

    @Test func `an authorisation is an attempt and its capture names none`() throws {
        let authorized = try Fixture.read(
            Fixture.members(type: "auth", operation: "success", payment: "awaiting capture"))
        let captured = try Fixture.read(
            Fixture.members(type: "capture", operation: "success", payment: "success"))
        #expect(authorized.transaction == "77" && captured.transaction == nil)
        let order = Order(reference: "ORD-1").applying(captured).applying(authorized)
        #expect(order.status == .paid && order.amount == Self.money)
    }

    @Test(arguments: [
        (
            #""request":{"id":"r1","action":"create","status":"success"},"#
                + #""token":"t","token_status":"active""#,
            "token", "active", "token:r1:active"
        ),
        (#""request":{"id":"r1","status":"success"}"#, "token", "success", "token:r1:success"),
        (
            #""project_id":115,"recurring":{"id":"9","status":"active"}"#, "recurring", "active",
            "recurring:115:9:active"
        ),
        (
            #""redirectData":{"method":"GET","url":"u"},"payment":{"id":"q"}"#, "redirect",
            "pending",
            "payment::q:::"
        ),
        (
            #""payment":{"id":"q","status":"success","type":"payout"}"#, "payout", "success",
            "payment::q:::success"
        ),
    ])
    func `shapes without a payment have no effect`(
        _ members: String, _ kind: String, _ status: String, _ id: String
    ) throws {
        let notification = try Fixture.read(members)
        #expect(notification.effect == .none && notification.flags.isEmpty)
        #expect(notification.kind == kind && notification.status == status)
        #expect(notification.id == id)
    }

    /// Without a payment type, a success may be that of a payout.
    @Test func `a payment without type and operation is not paid`() throws {
        for type in [nil, "gift"] {
            let members = Fixture.members(
                type: nil, operation: nil, payment: "success", paymentType: type)
            #expect(try !Fixture.read(members).effect.takesMoney)
        }
    }

    @Test(arguments: [
        "null", "true", "\"4200\"", "{}", "[]", #"{"amount":4200}"#, #"{"currency":"EUR"}"#,
        #"{"amount":-4200,"currency":"EUR"}"#, #"{"amount":42.00,"currency":"EUR"}"#,
        #"{"amount":null,"currency":"EUR"}"#, #"{"amount":4200,"currency":"eur"}"#,
        #"{"amount":4200,"currency":978}"#,
        #"{"amount":99999999999999999999,"currency":"EUR"}"#,
        #"{"amount":"","currency":"EUR"}"#,
    ])
    func `an amount is never guessed`(_ sum: String) throws {
        for type in ["sale", "capture", "refund"] {
            let notification = try Fixture.read(
                Fixture.members(type: type, operation: "success", payment: "success", sum: sum))
            #expect(notification.effect == .doubt, "\(type)")
            #expect(notification.flags == [.notUnderstood])
        }
    }

    /// The signed text of `true` is that of `1`, and that of a list begins like a scalar's.
    @Test(arguments: [
        #"{"amount":true,"currency":"EUR"}"#, #"{"amount":[4200],"currency":"EUR"}"#,
        #"{"amount":4200,"currency":["EUR"]}"#,
    ])
    func `what reads like an amount and is none is refused`(_ sum: String) throws {
        let body = try Fixture.body(
            Fixture.members(type: "sale", operation: "success", payment: "success", sum: sum))
        #expect(
            Fixture.provider.refusal(SignedRequest(body: body))?.reason == "signed_value_ambiguous")
    }

    /// Values of a wrong type in each member that is read.
    @Test func `nothing of another type is paid or crashes`() throws {
        let sum = #"{"amount":1,"currency":"EUR"}"#
        for value in [
            "null", "true", "{}", "[]", #"["success"]"#, #"{"a":"success"}"#, "1", "\"\"",
        ] {
            for members in [
                #""payment":{"id":\#(value),"status":"success","type":"purchase","sum":\#(sum)}"#,
                #""payment":{"id":"1","status":\#(value),"type":"purchase","sum":\#(sum)}"#,
                #""payment":{"id":"1","status":"success","type":\#(value),"sum":\#(sum)}"#,
                #""payment":\#(value),"operation":{"type":"sale","status":"success"}"#,
                #""payment":{"id":"1"},"operation":"#
                    + #"{"type":\#(value),"status":"success","sum_initial":\#(sum)}"#,
                #""payment":{"id":"1"},"operation":"#
                    + #"{"type":"sale","status":\#(value),"sum_initial":\#(sum)}"#,
                #""payment":{"id":"1","status":"success"},"operation":\#(value)"#,
            ] {
                guard let notification = try? Fixture.read(members) else { continue }
                let isNumberAsId = value == "1" && members.hasPrefix(#""payment":{"id":1"#)
                #expect(!notification.effect.takesMoney || isNumberAsId, "\(members)")
            }
        }
    }
}
