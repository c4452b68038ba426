import Payments
import Testing

@testable import Providers

/// ecommpay's chargeback callbacks carry no signature at all.
@Suite struct EcommpayChargebackTests {
    private static func provider(takesUnsigned: Bool) throws -> Ecommpay {
        try Ecommpay(
            settings: EndpointSettings(
                name: "e",
                [
                    "secrets": .secrets([Array("secret".utf8)]),
                    "unsignedChargebacks": .texts(takesUnsigned ? ["192.0.2.0/24"] : []),
                ]))
    }

    private static func delivery(_ body: String, isFromNamedNetwork: Bool) -> SignedRequest {
        SignedRequest(
            path: Array("/e".utf8)[...], headers: [], body: Array(body.utf8),
            isFromNamedNetwork: isFromNamedNetwork, received: Timestamp(microseconds: 0))
    }

    private static let callback = #"{"payment":{"id":"ORD-1"},"chargeback":{"amount":4200}}"#

    @Test func `from a named network it puts the order into review`() throws {
        let provider = try Self.provider(takesUnsigned: true)
        let delivery = Self.delivery(Self.callback, isFromNamedNetwork: true)
        let verified = try provider.verify(delivery)
        #expect(verified.key == "unsigned")
        let notification = provider.interpret(verified.evidence)
        #expect(notification.effect == .doubt && notification.reference == "ORD-1")
        #expect(notification.flags == [.unverifiedChargeback])
        let order = Order(reference: "ORD-1")
            .applying(
                Notification(
                    id: "p", kind: "payment", status: "paid", reference: "ORD-1",
                    effect: .attempt(.paid, .of(4200, "EUR")))
            )
            .applying(notification)
        #expect(order.status == .review && order.amount == .of(4200, "EUR"))
        #expect(try provider.receive(delivery).id == notification.id)
    }

    @Test(arguments: [(true, false), (false, true), (false, false)])
    func `otherwise it is refused`(_ takesUnsigned: Bool, _ isFromNamedNetwork: Bool) throws {
        let refusal = try Self.provider(takesUnsigned: takesUnsigned)
            .refusal(Self.delivery(Self.callback, isFromNamedNetwork: isFromNamedNetwork))
        #expect(refusal?.reason == "signature_missing" && refusal?.kind == .unauthenticated)
    }

    /// A signature must be valid if there is one, from any network.
    @Test(arguments: [
        #"{"payment":{"id":"1"},"signature":"AAAA"}"#, #"{"general":{"signature":"AAAA"}}"#,
        #"{"payment":{"id":"1"},"signature":null}"#,
    ])
    func `a wrong signature is refused from there too`(_ body: String) throws {
        let provider = try Self.provider(takesUnsigned: true)
        #expect(provider.refusal(Self.delivery(body, isFromNamedNetwork: true)) != nil)
    }

    @Test(
        arguments: [
            (#"{"payment_id":"A"}"#, "A"), (#"{"list":[{"payment_id":7}]}"#, "7"),
            (#"{"data":{"payment":{"id":"A","sum":1},"payment_id":"A"}}"#, "A"),
            // A summary names no payment, and among several the order is unknown: both are
            // recorded without a reference.
            (#"{"new_chargebacks":3}"#, nil), (#"[{"payment_id":"A"},{"payment_id":"B"}]"#, nil),
            (#"{"a":[{"payment_id":"A"},{"payment_id":"B"}]}"#, nil),
        ] as [(String, String?)])
    func `the one payment that it names is the order`(_ body: String, _ reference: String?) throws {
        let provider = try Self.provider(takesUnsigned: true)
        let delivery = Self.delivery(body, isFromNamedNetwork: true)
        guard body.hasPrefix("{") else {
            #expect(provider.refusal(delivery)?.reason == "body_not_object")
            return
        }
        let notification = try provider.receive(delivery)
        #expect(notification.reference == reference)
        #expect(notification.effect == (reference == nil ? .none : .doubt))
        #expect(notification.flags == [.unverifiedChargeback])
    }
}

extension EcommpayEvidence {
    /// The signed evidence; nil if nothing was signed.
    var leaves: EcommpayLeaves? {
        if case .signed(let leaves) = content { leaves } else { nil }
    }
}
