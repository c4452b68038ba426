import Bytes
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// Questions to PayPal, and what its answers say.
@Suite struct PayPalInquiryTests {
    private static let now = Timestamp(microseconds: 1_790_000_000_000_000)
    private static let token = InquiryToken("tok", expires: Timestamp(microseconds: .max))

    private static func settings(
        _ inquiry: [String: SettingValue?] = ["clientID": "id", "clientSecret": "secret"]
    ) throws -> EndpointSettings {
        var settings = try #require(ProviderFixture.named("paypal")).endpoint.settings
        for (key, value) in inquiry { settings[key, .inquiry] = value }
        return settings
    }

    private func inquirer() throws -> PayPalInquirer {
        try PayPalInquirer(settings: Self.settings())
    }

    private func answer(_ status: Int, _ body: String) -> InquiryAnswer {
        InquiryAnswer(status: status, headers: [], body: Array(body.utf8), received: Self.now)
    }

    /// Asks, with one answer after the other. Returns the requests and the finding, which is nil
    /// while there are too few answers.
    private func ask(
        _ answers: [InquiryAnswer], about id: String = "C-1", reference: String? = "R-1",
        _ subject: InquiryQuestion.Subject = .payment, token: InquiryToken? = token
    ) throws -> (requests: [InquiryRequest], finding: InquiryFinding?) {
        var conversation = InquiryConversation(
            InquiryQuestion(subject, by: .transaction, id, reference: reference), token: token)
        var requests: [InquiryRequest] = []
        for answer in answers + [nil as InquiryAnswer?] {
            switch try inquirer().next(conversation, now: Self.now) {
            case .found(let finding): return (requests, finding)
            case .ask(let request):
                requests.append(request)
                if let answer { conversation.append(InquiryExchange(request, answer)) }
            }
        }
        return (requests, nil)
    }

    private func found(
        _ body: String, about id: String = "C-1", reference: String? = "R-1",
        _ subject: InquiryQuestion.Subject = .payment, status: Int = 200
    ) throws -> InquiryFinding {
        try #require(
            try ask([answer(status, body)], about: id, reference: reference, subject).finding)
    }

    private static let absent = #"{"name":"RESOURCE_NOT_FOUND"}"#

    private func capture(
        _ id: String = "C-1", _ status: String = "COMPLETED", _ value: String = "42.00",
        _ more: String = #","custom_id":"R-1""#
    ) -> String {
        #"{"id":"\#(id)","status":"\#(status)","#
            + #""amount":{"currency_code":"EUR","value":"\#(value)"}\#(more)}"#
    }

    // MARK: Requests

    @Test func `a token is fetched with the client's id and secret, and used`() throws {
        let granted = answer(200, #"{"access_token":"A21","expires_in":32400}"#)
        let (requests, finding) = try ask([granted, answer(200, capture())], token: nil)
        #expect(requests.map(\.method) == ["POST", "GET"])
        #expect(requests.map(\.target) == ["/v1/oauth2/token", "/v2/payments/captures/C-1"])
        #expect(requests[0].body == Array("grant_type=client_credentials".utf8))
        // `id:secret` in Base64.
        #expect(requests[0].headers.contains(Header("authorization", "Basic aWQ6c2VjcmV0")))
        #expect(requests[1].headers.contains(Header("authorization", "Bearer A21")))
        #expect(
            requests.allSatisfy { $0.recordedHeaders.allSatisfy { !$0.isNamed("authorization") } })
        let kept = try #require(finding?.token)
        #expect(kept.text == "A21")
        let seconds = (kept.expires.microseconds - Self.now.microseconds) / 1_000_000
        #expect(seconds == 32_400 - PayPalAccess.marginSeconds)
        #expect(finding?.facts.map(\.exchange) == [1])
        #expect(finding?.facts.map(\.key) == ["tls"] && finding?.trust == .tls)
    }

    @Test func `a token that was revoked is fetched anew once`() throws {
        let refused = answer(401, #"{"error":"invalid_token"}"#)
        let granted = answer(200, #"{"access_token":"A22","expires_in":32400}"#)
        let (requests, finding) = try ask([refused, granted, answer(200, capture())])
        #expect(requests.map(\.method) == ["GET", "POST", "GET"])
        #expect(finding?.verdict == .answered && finding?.token?.text == "A22")
        let denied = try ask([refused, granted, refused]).finding
        #expect(denied?.verdict == .denied && denied?.token == nil)
    }

    @Test(arguments: [(400, "denied"), (401, "denied"), (429, "retry"), (503, "retry")])
    func `without a token nothing is asked`(_ status: Int, _ verdict: String) throws {
        let (requests, finding) = try ask(
            [answer(status, #"{"error":"invalid_client"}"#)], token: nil)
        #expect(requests.count == 1 && finding?.verdict.rawValue == verdict)
    }

    @Test func `an id is asked for as a capture, an authorization and an order`() throws {
        let absent = answer(404, Self.absent)
        let (requests, finding) = try ask([absent, absent, absent], about: "a/b")
        #expect(
            requests.map(\.target) == [
                "/v2/payments/captures/a%2Fb", "/v2/payments/authorizations/a%2Fb",
                "/v2/checkout/orders/a%2Fb",
            ])
        #expect(finding?.verdict == .absent && finding?.facts == [])
        let refund = try ask([absent], about: "F-1", .refund)
        #expect(refund.requests.map(\.target) == ["/v2/payments/refunds/F-1"])
        #expect(refund.finding?.verdict == .absent)
    }

    @Test func `the merchant's reference is not offered`() throws {
        let question = InquiryQuestion(by: .reference, "R-1")
        #expect(throws: InquiryError.unsupported(question)) {
            try inquirer().next(InquiryConversation(question), now: Self.now)
        }
    }

    @Test(arguments: ["clientID", "clientSecret"])
    func `both credentials are needed, and none may break a header`(_ key: String) throws {
        for value in [nil, "", "a\r\nb"] as [String?] {
            var settings = try Self.settings()
            settings[key, .inquiry] = value.map { .text($0) }
            #expect(throws: SettingsError.self) { try PayPalInquirer(settings: settings) }
        }
    }

    // MARK: Answers

    @Test(
        arguments: [
            ("COMPLETED", AttemptStatus.paid, nil), ("PENDING", .pending, nil),
            ("DECLINED", .failed, nil), ("FAILED", .failed, nil), ("PARTIALLY_REFUNDED", .paid, 1),
            ("REFUNDED", .paid, 4200),
        ] as [(String, AttemptStatus, Int64?)])
    func `a capture's status is what counts`(
        _ word: String, _ status: AttemptStatus, _ refunded: Int64?
    ) throws {
        let finding = try found(capture("C-1", word))
        let fact = try #require(finding.facts.first?.notification)
        #expect(finding.facts.count == 1 && fact.effect == .attempt(status, .of(4200, "EUR")))
        #expect(fact.reference == "R-1" && fact.transaction == "C-1" && fact.flags.isEmpty)
        #expect(fact.refundedAtLeast == refunded.flatMap { .of($0, "EUR") })
        #expect(fact.id.hasPrefix("inquiry:"))
    }

    @Test(arguments: ["SOMETHING", "CREATED", "VOIDED", "CAPTURED"])
    func `a word that is not a capture's is never paid`(_ word: String) throws {
        let fact = try #require(try found(capture("C-1", word)).facts.first?.notification)
        #expect(fact.effect == .attempt(.pending, .of(4200, "EUR")))
        #expect(fact.flags == [.unknownStatus] && fact.status == word)
    }

    @Test func `a capture of an authorization names it`() throws {
        let up =
            #","links":[{"rel":"up","href":"https://api.paypal.com/v2/payments/"#
            + #"authorizations/A-1"}]"#
        let fact = try #require(
            try found(capture("C-1", "COMPLETED", "42.00", up)).facts.first?.notification)
        #expect(fact.effect == .capture(id: "C-1", .succeeded, .of(4200, "EUR")))
        #expect(fact.transaction == "A-1" && fact.ids == .anything)
        #expect(try found(capture("C-1", "PENDING", "42.00", up)).facts.isEmpty)
    }

    @Test func `an authorization is read, and a voided one with its release`() throws {
        func facts(_ word: String) throws -> [Effect] {
            let finding = try ask(
                [answer(404, Self.absent), answer(200, capture("A-1", word))], about: "A-1"
            ).finding
            return finding?.facts.map(\.notification.effect) ?? []
        }
        let amount = Money.of(4200, "EUR")
        for word in ["CREATED", "CAPTURED", "PARTIALLY_CAPTURED"] {
            #expect(try facts(word) == [.attempt(.authorized, amount)])
        }
        #expect(try facts("DENIED") == [.attempt(.failed, amount)])
        #expect(
            try facts("VOIDED") == [
                .attempt(.authorized, amount),
                .reversal(.authorization, id: "A-1", .succeeded, amount),
            ])
        #expect(try facts("EXPIRED") == [.attempt(.pending, amount)])
    }

    @Test func `an order lists its payments, and is pending without any`() throws {
        func facts(_ status: String, _ payments: String) throws -> [Notification] {
            let body =
                #"{"id":"O-1","status":"\#(status)","purchase_units":[{"custom_id":"R-1","#
                + #""amount":{"currency_code":"EUR","value":"42.00"}\#(payments)}]}"#
            let absent = answer(404, Self.absent)
            let finding = try ask([absent, absent, answer(200, body)], about: "O-1").finding
            return try #require(finding).facts.map(\.notification)
        }
        let amount = Money.of(4200, "EUR")
        #expect(try facts("APPROVED", "").map(\.effect) == [.attempt(.pending, amount)])
        #expect(try facts("VOIDED", "").map(\.effect) == [.attempt(.canceled, amount)])
        #expect(try facts("COMPLETED", "").isEmpty)
        let listed = try facts(
            "COMPLETED", #","payments":{"captures":[\#(capture("C-1", "COMPLETED", "42.00", ""))]}"#
        )
        #expect(listed.map(\.effect) == [.attempt(.paid, amount)])
        #expect(listed.first?.reference == "R-1" && listed.first?.transaction == "C-1")
    }

    @Test func `a refund is read by its own id`() throws {
        let up =
            #","links":[{"rel":"up","href":"https://api.paypal.com/v2/payments/captures/C-1"}]"#
        let finding = try found(capture("F-1", "COMPLETED", "2.00", up), about: "F-1", .refund)
        #expect(
            finding.facts.map(\.notification.effect)
                == [.refund(id: "F-1", .succeeded, .of(200, "EUR"))])
        #expect(finding.facts.first?.notification.transaction == "C-1")
    }

    /// Otherwise an answer about another payment would confirm an invented notification.
    @Test func `an answer must name the asked id, and a reference where the order has one`() throws
    {
        let other = try found(capture("C-2"))
        #expect(other.verdict == .untrusted && other.reason == "other_transaction")
        let nameless = capture("C-1", "COMPLETED", "42.00", "")
        let invented = try found(nameless)
        #expect(invented.verdict == .untrusted && invented.reason == "other_reference")
        #expect(invented.facts.isEmpty)
        #expect(try found(nameless, reference: nil).facts.count == 1)
        // The payment belongs to the reference that PayPal names.
        #expect(try found(capture(), reference: "R-2").facts.first?.notification.reference == "R-1")
    }

    @Test(arguments: [
        (404, "<html>", "retry"), (404, #"{"name":"OTHER"}"#, "retry"), (404, "", "retry"),
        (401, "", "retry"), (403, #"{"name":"NOT_AUTHORIZED"}"#, "denied"), (429, "", "retry"),
        (500, "{}", "retry"), (302, "", "retry"), (200, "<html>", "retry"),
        (200, #"{"id":"C-1"}"#, "unreadable"), (200, "{}", "unreadable"),
        (200, #"{"id":"C-1","id":"C-1"}"#, "unreadable"),
        (200, #"{"id":"C-1","status":"COMPLETED","custom_id":"R-1"}"#, "unreadable"),
    ])
    func `nothing else is a fact`(_ status: Int, _ body: String, _ verdict: String) throws {
        let finding = try ask([answer(status, body)]).finding
        #expect(finding?.facts ?? [] == [])
        // A refused token is fetched anew.
        #expect(finding?.verdict.rawValue ?? "retry" == verdict)
    }

    @Test func `a recorded answer is read again`() throws {
        let exchange = InquiryExchange(
            InquiryRequest(method: "GET", target: "/v2/payments/captures/C-1", headers: []),
            answer(200, capture()))
        let fact = try #require(try found(capture()).facts.first?.notification)
        let read = try inquirer().reread(fact, in: exchange)
        #expect(read?.effect == fact.effect)
    }

    // MARK: The provider's side

    @Test(arguments: [
        ([EventType.paid], OrderStatus.paid), ([.pending], .pending), ([.failed], .failed),
        ([.pending, .paid], .paid), ([.authorized], .authorized),
        ([.authorized, .captured], .paid), ([.authorized, .canceled], .canceled),
        ([.authorized, .captureFailed], .authorized),
    ])
    func `the simulator's answers confirm what its notifications say`(
        _ types: [EventType], _ status: OrderStatus
    ) throws {
        let settings = try Self.settings()
        let provider = try PayPal(settings: settings)
        let sender = try PayPalSender(settings: settings)
        let responder = try PayPalResponder(settings: settings)
        var life = SampleLife(reference: "R-1")
        var order = Order()
        for (number, type) in types.enumerated() {
            let event = SampleEvent.sample(type, reference: "R-1", number: number + 1)
            life.append(event)
            let delivery = try sender.sign(event, path: "/ipn").delivery
            let told = try provider.interpret(provider.verify(delivery).evidence)
            #expect(told.flags.contains(.unconfirmed) == told.reportsSuccess)
            order.apply(told)
        }
        #expect(order.status != .paid && order.status != .authorized)
        let captures = order.attempts.flatMap { $0.captures.map(\.id) }
        for id in order.paymentIDs + captures {
            var conversation = InquiryConversation(
                InquiryQuestion(by: .transaction, id, reference: "R-1"))
            while case .ask(let request) = try inquirer().next(conversation, now: Self.now) {
                #expect(responder.serves(request))
                let answer = responder.answer(request, at: ResponderMoment(now: Self.now)) {
                    $0 == .transaction
                        && life.events.contains { [$0.transaction, $0.actionID].contains(id) }
                        && !$1.isEmpty ? life : nil
                }
                conversation.append(InquiryExchange(request, answer))
            }
            guard case .found(let finding) = try inquirer().next(conversation, now: Self.now) else {
                continue
            }
            #expect(finding.verdict == .answered, "\(finding)")
            for fact in finding.facts { order.apply(fact.notification) }
        }
        #expect(order.status == status && !order.flags.contains(.unconfirmed), "\(order.summary)")
    }

    @Test func `without an inquiry nothing is unconfirmed`() throws {
        let settings = try Self.settings([:])
        let event = SampleEvent.sample(.paid, reference: "R-1")
        let delivery = try PayPalSender(settings: settings).sign(event, path: "/ipn").delivery
        let provider = try PayPal(settings: settings)
        let told = try provider.interpret(provider.verify(delivery).evidence)
        #expect(told.flags.isEmpty && told.status == "paid")
    }
}
