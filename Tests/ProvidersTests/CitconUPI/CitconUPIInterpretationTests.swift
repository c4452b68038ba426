import Payments
import TestSupport
import Testing

@testable import Providers

@Suite struct CitconUPIInterpretationTests {
    typealias Fixture = CitconUPIFixture
    typealias Field = CitconUPIFixture.Field

    private func read(_ changes: Field...) throws -> Notification {
        let fields = changes.reduce(into: Fixture.paid) { fields, change in
            fields.removeAll { $0.name == change.name }
            fields.append(change)
        }
        return try Fixture.provider.receive(SignedRequest(body: Fixture.body(fields)))
    }

    @Test(arguments: [
        ("authorized", AttemptStatus.authorized, "authorized", [] as [Flag]),
        ("captured", .paid, "paid", []), ("success", .paid, "paid", []),
        ("succeeded", .paid, "paid", []), ("cancelled", .canceled, "canceled", []),
        ("canceled", .canceled, "canceled", []), ("fail", .failed, "failed", []),
        ("failed", .failed, "failed", []), ("initiated", .pending, "pending", []),
        ("pending", .pending, "pending", []), ("expired", .expired, "expired", []),
        ("Success", .pending, "Success", [.unknownStatus]),
        ("paid", .pending, "paid", [.unknownStatus]),
    ])
    func charges(
        _ status: String, _ attempt: AttemptStatus, _ word: String, _ flags: [Flag]
    ) throws {
        let notification = try read(.text("status", status))
        #expect(notification.kind == "payment" && notification.status == word)
        #expect(
            notification.effect
                == .attempt(attempt, flags.isEmpty ? .of(4200, "MYR") : nil))
        #expect(notification.flags == flags)
        #expect(notification.reference == "REQ-1" && notification.transaction == "CH-1")
        #expect(notification.id == "CH-1:charge:\(status)::")
    }

    @Test(arguments: [
        ("success", ActionStatus.succeeded, "succeeded", [] as [Flag]),
        ("succeeded", .succeeded, "succeeded", []), ("fail", .failed, "failed", []),
        ("failed", .failed, "failed", []), ("pending", .pending, "pending", []),
        ("returned", .pending, "returned", [.unknownStatus]),
    ])
    func refunds(
        _ status: String, _ action: ActionStatus, _ word: String, _ flags: [Flag]
    ) throws {
        let notification = try read(
            .text("transaction_type", "refund"), .text("status", status), .text("id", "RF-1"))
        #expect(notification.kind == "refund" && notification.status == word)
        guard case .unclearRefund("RF-1", action, let claim) = notification.effect else {
            Issue.record("\(notification.effect)")
            return
        }
        #expect(claim.amount == .of(4200, "MYR") && claim.refunded == nil)
        #expect(notification.flags == flags && notification.reference == "REQ-1")
    }

    @Test(arguments: [
        ("Notification of Claim", DisputeStatus.open, [] as [Flag]),
        ("Request For Information", .open, []), ("Information Supplied", .open, []),
        ("Lost", .lost, []), ("Won", .won, []), ("Case Closed", .closed, []),
        ("lost", .lost, []), ("success", .open, [.unknownStatus]),
    ])
    func chargebacks(_ status: String, _ dispute: DisputeStatus, _ flags: [Flag]) throws {
        let notification = try read(
            .text("transaction_type", "chargeback"), .text("status", status), .text("id", "CB-1"))
        #expect(notification.kind == "dispute" && notification.flags == flags)
        #expect(notification.effect == .dispute(id: "CB-1", dispute, .of(4200, "MYR")))
    }

    @Test func `vault and unknown types have no effect`() throws {
        let vault = try read(.text("transaction_type", "vault"))
        #expect(vault.kind == "vault" && vault.effect == .none && vault.flags.isEmpty)
        let unknown = try read(.text("transaction_type", "Payout"))
        #expect(unknown.kind == "payout" && unknown.effect == .none)
        #expect(unknown.flags == [.unknownKind])
    }

    /// The captured amount is `amount_captured`, unless that is empty.
    @Test(arguments: [("", 4200 as Int64?), ("0", 4200), ("4000", 4000), ("x", nil), ("-1", nil)])
    func `the captured amount counts`(_ captured: String, _ minor: Int64?) throws {
        let notification = try read(
            .text("status", "captured"), .text("amount_captured", captured))
        #expect(notification.effect == minor.map { .attempt(.paid, .of($0, "MYR")) } ?? .doubt)
        #expect((notification.flags == [.notUnderstood]) == (minor == nil))
        #expect((notification.flags == [.partiallyCaptured]) == (minor == 4000))
    }

    /// Checks the amounts only; the order rules decide on their effect.
    @Test(arguments: [
        ("4200", "", 4200 as Int64?, nil as Int64?), ("4200", "0", 4200, nil),
        ("4200", "1000", 4200, 1000), ("1000", "3000", 1000, 3000), ("1000", "x", nil, nil),
        ("x", "1000", nil, nil),
    ])
    func `a refund keeps both its amounts`(
        _ amount: String, _ refunded: String, _ first: Int64?, _ second: Int64?
    ) throws {
        let notification = try read(
            .text("transaction_type", "refund"), .text("amount", amount),
            .text("amount_refunded", refunded), .text("time_completed", "later"))
        guard let first else {
            #expect(notification.effect == .doubt && notification.flags == [.notUnderstood])
            return
        }
        let claim = RefundClaim(
            amount: .of(first, "MYR"), refunded: second.map { .of($0, "MYR") }, moment: "later")
        #expect(notification.effect == .unclearRefund(id: "CH-1", .succeeded, claim))
    }

    @Test func `a refund keeps its own id and the charge that it names`() throws {
        let refund = try read(
            .text("transaction_type", "refund"), .text("id", "RF-1"),
            .text("transaction_id", "CH-9"))
        #expect(refund.transaction == "CH-9")
        // The pointer takes precedence over the reference, which only identifies the order.
        #expect(refund.reference == nil && refund.alias == "REQ-1")
        guard case .unclearRefund("RF-1", _, _) = refund.effect else {
            Issue.record("\(refund.effect)")
            return
        }
    }

    @Test func `two equal refunds of one charge differ in their time`() throws {
        func refund(_ time: String) throws -> Notification {
            try read(
                .text("transaction_type", "refund"), .text("amount_refunded", "10"),
                .text("time_completed", time))
        }
        #expect(try refund("1").id != refund("2").id)
        #expect(try refund("1").id == refund("1").id)
    }

    @Test func `a currency that nobody knows is no sum`() throws {
        let notification = try read(.text("currency", "ZZZ"))
        #expect(notification.effect == .doubt && notification.flags == [.notUnderstood])
        #expect(notification.reference == "REQ-1")
    }

    @Test func `a charge that says it is refunded binds the refunds`() throws {
        #expect(try read(.text("amount_refunded", "30")).refundedAtLeast == .of(30, "MYR"))
        #expect(try read(.text("amount_refunded", "0")).refundedAtLeast == nil)
        #expect(try read(.text("amount_refunded", "x")).refundedAtLeast == .of(1, "MYR"))
    }

    @Test(arguments: [
        ("2021-07-16 09:23:44", "2021-07-16T09:23:44Z"),
        ("2021-07-16T09:23:44.000Z", "2021-07-16T09:23:44Z"),
        ("1626427424", "2021-07-16T09:23:44Z"), ("1626427424000", "2021-07-16T09:23:44Z"),
    ])
    func `all forms of time are read`(_ text: String, _ expected: String) throws {
        #expect(try read(.text("time_completed", text)).occurred == Timestamp(iso8601: expected))
        #expect(try read(.raw("time_completed", "\"\(text)\"", hashed: text)).occurred != nil)
    }

    @Test func `identity is what the page says`() throws {
        let event = try read().id
        #expect(try read(.text("time_completed", "2027-01-01 00:00:00")).id == event)
        for change: Field in [
            .text("id", "CH-2"), .text("status", "captured"), .text("transaction_type", "refund"),
            .text("amount_captured", "1"), .text("amount_refunded", "1"),
        ] {
            #expect(try read(change).id != event)
        }
    }

    @Test(arguments: ["id", "reference", "amount", "currency", "status", "transaction_type"])
    func `a field that holds nothing usable is never paid`(_ name: String) throws {
        for value in [
            "", "\u{0}", String(repeating: "9", count: 400), "-1", "1.5", "US", "é", " ",
        ] {
            let notification = try read(.text(name, value))
            // An id or a reference may be any short word.
            let isFree =
                (name == "id" || name == "reference")
                && ["-1", "1.5", "US", "é", " "].contains(value)
            #expect(!notification.effect.takesMoney || isFree, "\(name) \(value)")
        }
    }

    /// Unsigned members do not change the notification.
    @Test func `unsigned fields change nothing`() throws {
        var random = SeededGenerator(seed: 2)
        let plain = try read()
        let names = [
            "payment", "payment_method", "note", "amount2", "transaction_id", "charge_id", "data",
        ]
        for _ in 0..<300 {
            let unsigned = names.shuffled(using: &random).prefix(3).map { name in
                Field.raw(
                    name,
                    ["null", "[1]", #""success""#, "1", #"{"status":"refund"}"#, "true"]
                        .randomElement(using: &random)!)
            }
            let body = Fixture.body(Fixture.paid.shuffled(using: &random), unsigned: unsigned)
            #expect(try Fixture.provider.receive(SignedRequest(body: body)) == plain)
        }
    }

    /// The two amounts and the times may be unsigned. They are ignored then; but if they contradict
    /// the signed members, the notification has no effect and the order needs review.
    @Test(arguments: [
        ("amount_captured", "4200", false), ("amount_captured", "", false),
        ("amount_captured", "1", true), ("amount_refunded", "0", false),
        ("amount_refunded", "1", true), ("amount_refunded", "4200", true),
        ("time_completed", "2027-01-01 00:00:00", false),
    ])
    func `a field that is taken off the list is not believed`(
        _ name: String, _ value: String, _ isClaim: Bool
    ) throws {
        let required = Fixture.paid.filter {
            CitconUPI.requiredFields.map(\.description).contains($0.name)
        }
        let bare = try Fixture.provider.receive(SignedRequest(body: Fixture.body(required)))
        let body = Fixture.body(required, unsigned: [.text(name, value)])
        let notification = try Fixture.provider.receive(SignedRequest(body: body))
        #expect(bare.occurred == nil && bare.effect == .attempt(.paid, .of(4200, "MYR")))
        guard isClaim else {
            #expect(notification == bare)
            return
        }
        #expect(notification.effect == .doubt && notification.flags == [.unsignedClaim])
        #expect(notification.id != bare.id && notification.reference == bare.reference)
    }
}
