import Bytes
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// Questions to Stripe, and its answers.
@Suite struct StripeInquiryTests {
    private let now = Timestamp(microseconds: 1_790_000_000_000_000)
    private let inquirer: any Inquirer

    init() throws {
        let fixture = try #require(ProviderFixture.named("stripe"))
        inquirer = try #require(fixture.descriptor.inquiry).make(fixture.endpoint.settings)
    }

    private let byID = InquiryQuestion(by: .transaction, "pi_1", reference: "R")
    private let byReference = InquiryQuestion(by: .reference, "R")

    /// - Parameter answers: In the order of the questions; all are asked.
    private func finding(
        _ question: InquiryQuestion, _ answers: [String], status: Int = 200
    ) throws -> (finding: InquiryFinding, asked: [String]) {
        let (found, asked) = try inquirer.finding(question, answers, status: status, now: now)
        return (found, asked.map(\.target))
    }

    private func intent(
        _ status: String, id: String = "pi_1", order: String = "R", _ more: String = ""
    ) -> String {
        #"{"id":"\#(id)","object":"payment_intent","amount":4200,"amount_received":4000,"#
            + #""amount_capturable":4200,"currency":"eur","status":"\#(status)","created":1,"#
            + #""livemode":true,"metadata":{"order_id":"\#(order)"}\#(more)}"#
    }

    private func refund(_ status: String, of intent: String = "pi_1") -> String {
        #"{"id":"re_1","object":"refund","amount":1000,"currency":"eur","created":2,"#
            + #""payment_intent":"\#(intent)","status":"\#(status)"}"#
    }

    private func list(_ kind: String, _ objects: String..., hasMore: Bool = false) -> String {
        let data = objects.joined(separator: ",")
        return #"{"object":"\#(kind)","data":[\#(data)],"has_more":\#(hasMore)}"#
    }

    private var none: String { list("list") }

    private func effects(_ finding: InquiryFinding) -> [Effect] {
        finding.facts.map(\.notification.effect)
    }

    private let whole = Money.of(4200, "EUR")
    private let received = Money.of(4000, "EUR")

    @Test func `a PaymentIntent is read with its refunds and disputes`() throws {
        let dispute =
            #"{"id":"du_1","object":"dispute","amount":4000,"currency":"eur","created":3,"#
            + #""payment_intent":"pi_1","status":"needs_response"}"#
        let (found, asked) = try finding(
            byID,
            [intent("succeeded"), list("list", refund("succeeded")), list("list", dispute)])
        #expect(found.verdict == .answered && found.trust == .tls)
        #expect(
            effects(found) == [
                .attempt(.paid, received), .refund(id: "re_1", .succeeded, Money.of(1000, "EUR")),
                .dispute(id: "du_1", .open, received),
            ])
        #expect(found.facts.map(\.exchange) == [0, 1, 2])
        #expect(found.facts.allSatisfy { $0.notification.transaction == "pi_1" })
        #expect(found.facts[0].notification.reference == "R")
        #expect(found.facts.allSatisfy { $0.notification.id.hasPrefix("inquiry:") })
        #expect(
            asked == [
                "/v1/payment_intents/pi_1", "/v1/refunds?payment_intent=pi_1&limit=100",
                "/v1/disputes?payment_intent=pi_1&limit=100",
            ])
    }

    @Test func `each status has the effect of its event`() throws {
        for (status, more, effect) in [
            ("requires_capture", "", .attempt(.authorized, whole)),
            ("processing", "", .attempt(.pending, whole)),
            ("requires_action", "", .attempt(.pending, whole)),
            ("requires_payment_method", "", .attempt(.pending, whole)),
            ("canceled", "", .attempt(.canceled, whole)),
            ("canceled", #","cancellation_reason":"expired""#, .attempt(.expired, whole)),
        ] as [(String, String, Effect)] {
            let (found, asked) = try finding(byID, [intent(status, more)])
            #expect(effects(found) == [effect] && asked.count == 1, "\(status)")
        }
        let (tried, _) = try finding(
            byID,
            [intent("requires_payment_method", #","last_payment_error":{"code":"card_declined"}"#)])
        let order = tried.facts.reduce(Order()) { $0.applying($1.notification) }
        #expect(order.status != .paid)
        #expect(tried.facts[0].notification.reason?.code == "card_declined")
        let (unknown, _) = try finding(byID, [intent("vanished")])
        #expect(effects(unknown) == [.attempt(.pending, nil)])
        #expect(unknown.facts[0].notification.flags == [.unknownStatus])
        #expect(unknown.facts[0].notification.status == "vanished")
    }

    @Test func `the search finds the order's own PaymentIntents only`() throws {
        let (found, asked) = try finding(
            byReference,
            [
                list(
                    "search_result", intent("canceled"), intent("succeeded", id: "pi_2"),
                    intent("succeeded", id: "pi_3", order: "r")), none, none,
            ])
        #expect(effects(found) == [.attempt(.canceled, whole), .attempt(.paid, received)])
        #expect(asked.count == 3 && asked[1].contains("pi_2"))
        #expect(try finding(byReference, [list("search_result")]).finding.verdict == .absent)
        let quoted = InquiryQuestion(by: .reference, #"it's \ 1"#)
        let (_, question) = try finding(quoted, [list("search_result")])
        let query = #"metadata['order_id']:'it\'s \\ 1'"#
        #expect(
            question[0]
                == "/v1/payment_intents/search?query=\(PercentEncoding.encode(Array(query.utf8)))"
                + "&limit=20")
    }

    @Test func `an object of a payment leads to it`() throws {
        let asRefund = InquiryQuestion(by: .transaction, "re_1")
        let (found, asked) = try finding(
            asRefund,
            [refund("pending"), intent("succeeded"), list("list", refund("pending")), none])
        #expect(asked.prefix(2) == ["/v1/refunds/re_1", "/v1/payment_intents/pi_1"])
        #expect(effects(found).count == 2)
        let alone = refund("pending").replacing(#""pi_1""#, with: "null")
        #expect(try finding(asRefund, [alone]).finding.verdict == .absent)
    }

    @Test func `an answer about something else, or a part of one, is no fact`() throws {
        for (question, answers, verdict) in [
            (byID, [intent("succeeded", id: "pi_2")], .untrusted),
            (
                byID, [intent("succeeded"), list("list", refund("succeeded", of: "pi_2")), none],
                .untrusted
            ),
            (byID, [intent("succeeded"), list("list", hasMore: true), none], .unreadable),
            (
                byID, [intent("succeeded").replacing("4000", with: "40.5"), none, none],
                .unreadable
            ),
            (byReference, [list("search_result", hasMore: true)], .unreadable),
            (byReference, [list("list")], .retry), (byID, ["<html>"], .retry),
            (byID, [#"{"id":"pi_1","id":"pi_1"}"#], .unreadable),
        ] as [(InquiryQuestion, [String], InquiryVerdict)] {
            let (found, _) = try finding(question, answers)
            #expect(found.verdict == verdict && found.facts.isEmpty, "\(answers) \(found)")
        }
        for (status, verdict) in [
            (401, .denied), (403, .denied), (404, .absent), (429, .retry), (500, .retry),
        ] as [(Int, InquiryVerdict)] {
            let (found, _) = try finding(byID, [intent("succeeded")], status: status)
            #expect(found.verdict == verdict, "\(status)")
        }
    }

    /// The responder's answers, notifications, and both give the same order.
    @Test(
        arguments: [
            [.paid], [.pending], [.authorized], [.canceled], [.expired], [.authorized, .paid],
            [.pending, .paid], [.paid, .refunded], [.paid, .refundFailed], [.paid, .disputed],
            [.paid, .disputed, .chargedBack], [.paid, .disputed, .disputeWon],
        ] as [[EventType]])
    func `answers and notifications agree`(_ types: [EventType]) throws {
        let world = try RespondingWorld(#require(ProviderFixture.named("stripe")))
        let life = try #require(try world.life(types))
        let told = try world.notifications(life)
        let transaction = try #require(told[0].transaction)
        let order = told.reduce(Order()) { $0.applying($1) }
        for finding in [try world.ask(life), try world.ask(life, by: .transaction, transaction)] {
            #expect(finding.verdict == .answered, "\(finding)")
            let facts = finding.facts.map(\.notification)
            for all in [facts, told + facts, facts + told] {
                let same = all.reduce(Order()) { $0.applying($1) }
                #expect(same.status == order.status, "\(finding)")
                #expect(same.summary.captured == order.summary.captured)
                #expect(same.summary.refunded == order.summary.refunded)
                #expect(same.summary.flags == order.summary.flags)
            }
        }
        let stranger = try RespondingWorld(
            #require(ProviderFixture.named("stripe")), isStranger: true)
        #expect(try world.ask(life, as: stranger.inquirer).verdict == .denied)
        #expect(try world.ask(nil).verdict == .absent)
    }

    @Test(arguments: [
        ("payment_intent", "pi_1", true), ("refund", "re_1", true), ("dispute", "du_1", true),
        ("charge", "ch_1", true), ("customer", "cus_1", false),
        ("v2.core.account", "acct_1", false),
    ])
    func `a thin event asks about its object`(_ type: String, _ id: String, _ isAsked: Bool) {
        let body =
            #"{"id":"evt_1","object":"v2.core.event","type":"v1.\#(type).updated","#
            + #""related_object":{"id":"\#(id)","type":"\#(type)","url":"/v1/x/\#(id)"}}"#
        let question = Stripe.question(about: Array(body.utf8))
        #expect(question == (isAsked ? InquiryQuestion(by: .transaction, id) : nil))
        let snapshot = body.replacing("v2.core.event", with: "event")
        #expect(Stripe.question(about: Array(snapshot.utf8)) == nil)
        let mentioned = snapshot.replacing("evt_1", with: "v2.core.event")
        #expect(Stripe.question(about: Array(mentioned.utf8)) == nil)
    }
}
