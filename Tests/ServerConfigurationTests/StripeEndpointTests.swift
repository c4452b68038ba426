import Bytes
import Cryptography
import Payments
import Providers
import Testing

@testable import ServerConfiguration

/// The `stripe` endpoint of `ipnd init`, with Stripe's own notifications.
@Suite struct StripeEndpointTests {
    /// Seconds since 1970.
    private static let now = 1_795_244_400

    private static func endpoint() throws -> EndpointConfiguration {
        let configuration = try Configuration.load(
            file: SandboxTemplate.folder.configuration, environment: [:])
        return try #require(configuration.endpoint(named: "stripe"))
    }

    private func delivery(
        _ endpoint: EndpointConfiguration, _ body: String, age: Int = 0
    ) throws -> SignedRequest {
        let time = Self.now - age
        let secret = try #require(endpoint.settings.secrets.first)
        let code = HMAC.code(.sha256, key: secret, message: Array("\(time).\(body)".utf8))
        return SignedRequest(
            path: Array("/ipn/stripe".utf8)[...],
            headers: [Header("Stripe-Signature", "t=\(time),v1=\(Hex.encode(code)),v0=00")],
            body: Array(body.utf8),
            received: Timestamp(microseconds: Int64(Self.now) * 1_000_000))
    }

    private func event(_ type: String, _ object: String, id: String = "evt_1") -> String {
        """
        {"id":"\(id)","object":"event","type":"\(type)","created":1700000000,
        "data":{"object":\(object)}}
        """
    }

    private static let intent = """
        {"id":"pi_1","object":"payment_intent","amount":4200,"amount_received":4200,
        "amount_capturable":4200,
        "currency":"eur","metadata":{"order_id":"ORDER-1"},"status":"succeeded"}
        """

    private static func refund(_ status: String) -> String {
        """
        {"id":"re_1","object":"refund","amount":1200,"charge":"ch_1","currency":"eur",
        "metadata":{},"payment_intent":"pi_1","status":"\(status)"}
        """
    }

    private func read(_ body: String) throws -> Notification {
        let endpoint = try Self.endpoint()
        return try Self.read(endpoint.provider, delivery(endpoint, body))
    }

    private static func read(
        _ provider: some Provider, _ delivery: SignedRequest
    ) throws -> Notification {
        provider.interpret(try provider.verify(delivery).evidence)
    }

    private static func money(_ minor: Int64) throws -> Money {
        Money(minor: minor, currency: try #require(Currency("EUR")))
    }

    @Test func `a payment is paid with what was received`() throws {
        let paid = try read(event("payment_intent.succeeded", Self.intent))
        #expect(paid.effect == .attempt(.paid, try Self.money(4200)))
        #expect(paid.reference == "ORDER-1" && paid.transaction == "pi_1" && paid.flags.isEmpty)
        // 20.00 of the authorised 42.00 were captured.
        let part = Self.intent.replacing(
            "\"amount_received\":4200", with: "\"amount_received\":2000")
        #expect(
            try read(event("payment_intent.succeeded", part)).effect
                == .attempt(.paid, try Self.money(2000)))
    }

    @Test(arguments: [
        ("payment_intent.canceled", AttemptStatus.canceled),
        ("payment_intent.processing", .pending),
        ("payment_intent.amount_capturable_updated", .authorized),
    ])
    func `other events of a payment are its attempts`(
        _ type: String, _ status: AttemptStatus
    ) throws {
        let notification = try read(event(type, Self.intent))
        #expect(notification.effect == .attempt(status, try Self.money(4200)))
    }

    /// A PaymentIntent may be tried again: a later success does not contradict a failed try.
    @Test func `a failed try is no end of the payment`() throws {
        let first = try read(event("payment_intent.payment_failed", Self.intent))
        #expect(first.effect == .attempt(.tryFailed, try Self.money(4200)))
        #expect(first.reference == "ORDER-1" && first.transaction == "pi_1")
        #expect(Order(reference: "ORDER-1").applying(first).status == .failed)
        for (next, status) in [
            ("amount_capturable_updated", OrderStatus.authorized), ("succeeded", .paid),
        ] {
            let later = try read(event("payment_intent.\(next)", Self.intent, id: "evt_2"))
            for told in [[first, later], [later, first]] {
                let order = told.reduce(Order(reference: "ORDER-1")) { $0.applying($1) }
                #expect(order.status == status && order.flags.isEmpty)
            }
        }
    }

    @Test func `a refund is its own amount of the payment that it names`() throws {
        for type in ["refund.created", "refund.updated"] {
            let refund = try read(event(type, Self.refund("succeeded")))
            #expect(refund.effect == .refund(id: "re_1", .succeeded, try Self.money(1200)))
            #expect(refund.transaction == "pi_1" && refund.flags.isEmpty)
        }
        #expect(
            try read(event("refund.created", Self.refund("pending"))).effect
                == .refund(id: "re_1", .pending, try Self.money(1200)))
        #expect(
            try read(event("refund.failed", Self.refund("failed"))).effect
                == .refund(id: "re_1", .failed, try Self.money(1200)))
    }

    /// `amount_refunded` is a running total and `amount` the charge's: neither is this refund's
    /// amount.
    @Test func `a charge's running total is no refund`() throws {
        let charge = """
            {"id":"ch_1","object":"charge","amount":4200,"amount_refunded":1200,"currency":"eur",
            "payment_intent":"pi_1","refunded":false,"metadata":{"order_id":"ORDER-1"}}
            """
        let notification = try read(event("charge.refunded", charge))
        #expect(notification.effect == .none && notification.flags.isEmpty)
    }

    @Test func `a dispute follows its status`() throws {
        for (status, expected) in [
            ("needs_response", DisputeStatus.open), ("won", .won), ("lost", .lost),
            ("warning_closed", .closed),
        ] {
            let dispute = """
                {"id":"dp_1","object":"dispute","amount":4200,"currency":"eur","charge":"ch_1",
                "payment_intent":"pi_1","status":"\(status)"}
                """
            let notification = try read(event("charge.dispute.updated", dispute))
            #expect(
                notification.effect == .dispute(id: "dp_1", expected, try Self.money(4200)),
                "\(status)")
            #expect(notification.transaction == "pi_1")
        }
    }

    @Test func `events of other kinds move nothing`() throws {
        let notification = try read(event("customer.created", #"{"id":"cus_1"}"#))
        #expect(notification.effect == .none && notification.flags.isEmpty)
    }

    @Test func `an old signature is refused`() throws {
        let endpoint = try Self.endpoint()
        let body = event("payment_intent.succeeded", Self.intent)
        _ = try Self.read(endpoint.provider, delivery(endpoint, body, age: 290))
        #expect(throws: Refusal.self) {
            _ = try Self.read(endpoint.provider, delivery(endpoint, body, age: 310))
        }
    }
}
