import HTTP
import Payments
import Store
import Testing

import struct Foundation.Data

@testable import AdminAPI

/// The shopper's question: its tokens, and the word that is told.
@Suite struct OutcomeTests {
    private static let now = Timestamp(microseconds: 1_795_000_000_000_000)
    private static let secret = Array("a secret of 16 bytes and more".utf8)
    private let tokens = OutcomeTokens(secrets: [Self.secret], hours: 2)

    private static func later(_ seconds: Int64) -> Timestamp {
        Timestamp(microseconds: now.microseconds + seconds * 1_000_000)
    }

    private static func read(
        _ token: String, _ tokens: OutcomeTokens, now: Timestamp = Self.now
    ) -> Result<OrderName, Problem> {
        Result { () throws(Problem) in try tokens.read(Array(token.utf8)[...], now: now) }
    }

    private static let names = [
        OrderName(endpoint: "antom", reference: "ORDER-1"),
        OrderName(endpoint: "a", reference: "é/?&+ \u{301}"),
        OrderName(
            endpoint: String(repeating: "e", count: 64),
            reference: String(repeating: "r", count: 256)),
    ]

    @Test(arguments: names)
    func `a token leads to its order until it expires, and tells nothing`(_ name: OrderName) throws
    {
        let token = try #require(tokens.make(name, now: Self.now))
        #expect(token.utf8.allSatisfy { "-_".utf8.contains($0) || $0 < 0x7B && $0 >= 0x30 })
        #expect(token.utf8.count < OutcomeTokens.lengthMax)
        let found = try Self.read(token, tokens, now: Self.later(7199)).get()
        #expect(Array(found.endpoint.utf8) == Array(name.endpoint.utf8))
        #expect(Array(found.reference.utf8) == Array(name.reference.utf8))
        #expect(throws: Problem(410, "token_expired", "the token has expired")) {
            try Self.read(token, tokens, now: Self.later(7200)).get()
        }
        let bytes = Data(
            base64Encoded: token.replacing("-", with: "+").replacing("_", with: "/") + "==")
        #expect(bytes?.range(of: Data(name.reference.utf8)) == nil)
        #expect(tokens.make(name, now: Self.now) != token)
    }

    @Test func `no changed token is good`() throws {
        let token = try #require(tokens.make(Self.names[0], now: Self.now))
        var texts = ["", "x", token + "A", token + "=", token + "==", String(token.dropLast())]
        texts += [String(repeating: "A", count: 4000), String(token.dropFirst())]
        for place in token.indices {
            var text = token
            text.replaceSubrange(place...place, with: token[place] == "A" ? "B" : "A")
            texts.append(text)
        }
        if token.contains(where: { "-_".contains($0) }) {
            texts.append(token.replacing("-", with: "+").replacing("_", with: "/"))
        }
        for text in texts {
            #expect(
                throws: Problem(404, "token_invalid", "this is no token of this server"), "\(text)"
            ) {
                try Self.read(text, tokens).get()
            }
        }
    }

    @Test func `a former secret reads, and the current one makes`() throws {
        let fresh = Array("another secret, the current one".utf8)
        let both = OutcomeTokens(secrets: [fresh, Self.secret], hours: 2)
        let old = try #require(tokens.make(Self.names[0], now: Self.now))
        let new = try #require(both.make(Self.names[0], now: Self.now))
        #expect((try? Self.read(old, both).get()) == Self.names[0])
        #expect((try? Self.read(new, both).get()) == Self.names[0])
        #expect((try? Self.read(new, tokens).get()) == nil)
        #expect((try? Self.read(old, OutcomeTokens(secrets: [fresh], hours: 2)).get()) == nil)
    }

    private static func view(_ events: Notification...) -> OrderView {
        OrderView(
            endpoint: "e", order: events.reduce(Order()) { $0.applying($1) }, sequences: [1])
    }

    private static func payment(_ status: AttemptStatus, _ flags: [Flag] = [])
        -> Notification
    {
        Notification(
            id: "E", kind: "payment", status: "s", reference: "R", transaction: "T",
            effect: .attempt(status, money), flags: flags)
    }

    private static let money = Currency("MYR").map { Money(minor: 100, currency: $0) }

    private static func refund(_ minor: Int64) -> Notification {
        let sum = Currency("MYR").map { Money(minor: minor, currency: $0) }
        return Notification(
            id: "F", kind: "refund", status: "s", transaction: "T",
            effect: .refund(id: "F", .succeeded, sum))
    }

    @Test func `each status has its word`() {
        #expect(PaymentOutcome(nil) == .pending)
        for (status, word) in [
            (AttemptStatus.pending, PaymentOutcome.pending), (.authorized, .pending),
            (.paid, .paid),
            (.failed, .failed), (.canceled, .canceled), (.expired, .expired),
        ] { #expect(PaymentOutcome(Self.view(Self.payment(status))) == word, "\(status)") }
        #expect(PaymentOutcome(Self.view(Self.payment(.paid), Self.refund(40))) == .paid)
        #expect(PaymentOutcome(Self.view(Self.payment(.paid), Self.refund(100))) == .canceled)
        // More was refunded than paid: in review.
        #expect(PaymentOutcome(Self.view(Self.payment(.paid), Self.refund(101))) == .pending)
    }

    @Test(arguments: [Flag.providerReview, .contradicted, .unconfirmed, .notUnderstood])
    func `a doubt keeps it pending`(_ flag: Flag) {
        #expect(PaymentOutcome(Self.view(Self.payment(.paid, [flag]))) == .pending)
    }

    @Test func `a test payment and one that was paid twice are paid`() {
        #expect(PaymentOutcome(Self.view(Self.payment(.paid, [.testMode]))) == .paid)
        var again = Self.payment(.paid)
        again.transaction = "T2"
        let view = Self.view(Self.payment(.paid), again)
        #expect(view.order.summary.flags.contains(.paidTwice) && PaymentOutcome(view) == .paid)
    }
}
