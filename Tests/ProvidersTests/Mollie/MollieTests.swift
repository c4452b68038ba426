import Bytes
import JSON
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// Cases that the vectors of Mollie leave out.
@Suite struct MollieTests {
    private let now = Timestamp(microseconds: 1_790_000_000_000_000)
    private let settings = ProviderFixture.mollie.endpoint.settings

    private func classic() throws -> Mollie {
        try Mollie(
            settings: EndpointSettings(
                name: "m", ["kind": "classic", "apiKey": "live_x"]))
    }

    private func form(_ text: String) -> SignedRequest {
        SignedRequest(path: [], headers: [], body: Array(text.utf8), received: now)
    }

    @Test func `of a form nothing counts but the id, which is asked about`() throws {
        let provider = try classic()
        let verified = try provider.verify(form("id=tr_7UhSN1zuXS&status=paid"))
        #expect(verified.key == UnsignedDelivery.key)
        #expect(
            provider.question(about: verified.evidence)
                == InquiryQuestion(by: .transaction, "tr_7UhSN1zuXS"))
        #expect(provider.interpret(verified.evidence).effect == .none)
        for id in [
            "tr_", "tr_a/b", "tr_a?b", "tr_\u{e4}", "ord_1",
            "tr_" + String(repeating: "a", count: 65),
        ] {
            let text = "id=\(PercentEncoding.encode(Array(id.utf8)))"
            #expect(provider.refusal(form(text))?.reason == "id_malformed", "\(id)")
        }
    }

    @Test func `a signed event is asked about only if its payment is missing`() throws {
        let provider = try Mollie(settings: settings)
        let whole = try provider.verify(
            MollieSender(settings: settings).sign(.sample(.paid), path: "/ipn").delivery)
        #expect(provider.question(about: whole.evidence) == nil)
        var settings = settings
        settings[Mollie.apiKey] = nil
        let unable = try Mollie(settings: settings)
        func question(_ text: String) -> InquiryQuestion? {
            let body = Array(text.utf8)
            return provider.question(
                about: .event(try? JSONDocument(parsing: body).root, body))
        }
        #expect(
            question(#"{"id":"e","type":"payment.paid","entityId":"tr_1"}"#)
                == InquiryQuestion(by: .transaction, "tr_1"))
        // Without a key it is kept for a person.
        let body = Array(#"{"id":"e","type":"payment.paid","entityId":"tr_1"}"#.utf8)
        let evidence = MollieEvidence.event(try JSONDocument(parsing: body).root, body)
        #expect(unable.question(about: evidence) == nil)
        #expect(unable.interpret(evidence).flags == [.notUnderstood])
        for text in [
            #"{"id":"e","type":"refund.refunded","entityId":"re_1"}"#,
            #"{"id":"e","type":"payment.paid","entityId":"tr_1/.."}"#, #"{"id":"e"}"#, "[",
        ] {
            #expect(question(text) == nil, "\(text)")
        }
    }

    @Test func `the reference is where the shop puts it`() throws {
        for (setting, metadata, reference) in [
            (nil, #"{"order_id":"R-1"}"#, "R-1"), (nil, #"{"order_id":77}"#, "77"),
            (nil, #""R-2""#, "R-2"), (nil, "null", "Order 3"),
            ("/description", #"{"order_id":"R-1"}"#, "Order 3"),
            ("/metadata/cart", #"{"order_id":"R-1"}"#, nil),
        ] as [(String?, String, String?)] {
            let reading = try MollieReading(
                EndpointSettings(name: "m", ["reference": setting.map { .text($0) }]))
            let body = Array(
                (#"{"id":"tr_1","status":"open","amount":{"currency":"EUR","value":"1.00"},"#
                    + #""description":"Order 3","metadata":\#(metadata)}"#).utf8)
            let facts = try reading.facts(JSONDocument(parsing: body).root, body)
            #expect(facts.map(\.reference) == [reference], "\(metadata)")
        }
        #expect(throws: SettingsError.self) {
            try MollieReading(EndpointSettings(name: "m", ["reference": "metadata"]))
        }
    }

    private func facts(_ members: String) throws -> [Notification] {
        let body = Array(
            (#"{"id":"tr_1","status":"paid","amount":{"currency":"EUR","value":"42.00"},"#
                + #""metadata":"R"\#(members)}"#).utf8)
        return try MollieReading(EndpointSettings(name: "m"))
            .facts(JSONDocument(parsing: body).root, body)
    }

    private func money(_ value: String) -> String { #"{"currency":"EUR","value":"\#(value)"}"# }

    @Test func `several captures count by themselves`() throws {
        func order(_ captures: [(String, String)], _ taken: String) throws -> Order {
            let list = captures.map {
                #"{"id":"\#($0.0)","status":"succeeded","amount":\#(money($0.1))}"#
            }.joined(separator: ",")
            return try facts(
                #","amountCaptured":\#(money(taken)),"_embedded":{"captures":[\#(list)]}"#
            ).reduce(Order()) { $0.applying($1) }
        }
        let one = try order([("c1", "22.00")], "22.00")
        let two = try order([("c1", "22.00"), ("c2", "20.00")], "42.00")
        let authorized = Notification(
            id: "A", kind: "payment", status: "authorized", reference: "R", transaction: "tr_1",
            effect: .attempt(.authorized, Money.of(4200, "EUR")))
        let both = one.merging(two).applying(authorized)
        #expect(
            both.summary.captured == Money.of(4200, "EUR") && both.flags.isEmpty, "\(both.flags)")
    }

    @Test func `a refund that waits is not yet in the refunded sum`() throws {
        let waiting = #"{"id":"r1","status":"queued","amount":\#(money("12.00"))}"#
        let done = #"{"id":"r2","status":"refunded","amount":\#(money("3.00"))}"#
        let facts = try facts(
            #","amountRefunded":\#(money("15.00")),"_embedded":{"refunds":[\#(waiting),\#(done)]}"#)
        #expect(facts[0].refundedAtLeast == nil)
        let order = facts.reduce(Order()) { $0.applying($1) }
        #expect(order.status == .partiallyRefunded && order.refunded == Money.of(300, "EUR"))
    }

    @Test func `a refunded sum that is not listed needs a person`() throws {
        let facts = try facts(#","amountRefunded":\#(money("15.00"))"#)
        #expect(facts[0].refundedAtLeast == Money.of(1500, "EUR"))
        #expect(facts.reduce(Order()) { $0.applying($1) }.status == .review)
    }

    @Test func `a chargeback that is reversed leaves the order paid`() throws {
        let list = #"[{"id":"c1","amount":\#(money("42.00")),"reversedAt":"2026-01-02T00:00:00Z"}]"#
        let facts = try facts(#","_embedded":{"chargebacks":\#(list)}"#)
        #expect(facts.count == 3)
        let order = facts.reduce(Order()) { $0.applying($1) }
        #expect(order.status == .paid && order.flags.isEmpty, "\(order.flags)")
        let received = facts.dropLast().reduce(Order()) { $0.applying($1) }
        #expect(received.status == .chargedBack)
    }

    @Test func `an answer that cannot be read changes nothing`() throws {
        let inquirer = try MollieInquirer(settings: settings)
        let question = InquiryQuestion(by: .transaction, "tr_1")
        for (status, body, verdict) in [
            (200, #"{"id":"tr_1","status":"paid"}"#, .unreadable),
            (200, #"{"id":"tr_2","status":"open"}"#, .untrusted), (200, "<html>", .retry),
            (404, "{}", .absent), (410, "{}", .absent), (401, "{}", .denied), (429, "{}", .retry),
            (503, "", .retry),
        ] as [(Int, String, InquiryVerdict)] {
            var conversation = InquiryConversation(question)
            guard case .ask(let request) = try inquirer.next(conversation, now: now) else { return }
            conversation.append(
                InquiryExchange(
                    request,
                    InquiryAnswer(
                        status: status, headers: [], body: Array(body.utf8), received: now)))
            guard case .found(let finding) = try inquirer.next(conversation, now: now) else {
                return
            }
            #expect(finding.verdict == verdict && finding.facts.isEmpty, "\(status) \(body)")
        }
        #expect(throws: InquiryError.self) {
            try inquirer.next(
                InquiryConversation(InquiryQuestion(by: .reference, "R")), now: now)
        }
    }

    @Test func `what the responder says of a life is its state`() throws {
        let responder = try MollieResponder(settings: settings)
        let inquirer = try MollieInquirer(settings: settings)
        var life = SampleLife(reference: "R")
        for (number, type) in [
            EventType.authorized, .captured, .refunded, .refundPending, .chargedBack,
        ].enumerated() {
            life.append(
                SampleEvent(
                    type: type, reference: "R", transaction: "abc",
                    money: Money.of(type == .refunded ? 1200 : 4200, "EUR"), occurred: now,
                    number: number + 1))
        }
        var conversation = InquiryConversation(InquiryQuestion(by: .transaction, "tr_abc"))
        guard case .ask(let request) = try inquirer.next(conversation, now: now) else { return }
        #expect(responder.serves(request))
        let answer = responder.answer(request, at: ResponderMoment(now: now)) { _, value in
            value == "abc" ? life : nil
        }
        conversation.append(InquiryExchange(request, answer))
        guard case .found(let finding) = try inquirer.next(conversation, now: now) else { return }
        let order = finding.facts.reduce(Order()) { $0.applying($1.notification) }
        #expect(order.status == .chargedBack && order.refunded == Money.of(1200, "EUR"), "\(order)")
        #expect(order.summary.captured == Money.of(4200, "EUR"))
        let stranger = try MollieResponder(settings: ProviderFixture.mollie.endpoint.foreign)
        let denied = stranger.answer(request, at: ResponderMoment(now: now)) { _, _ in life }
        #expect(denied.status == 401)
    }
}
