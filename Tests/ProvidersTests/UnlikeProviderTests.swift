import Bytes
import Cryptography
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// The providers that most suites cannot check: Xendit signs nothing, Midtrans three values, and
/// GoCardless' events name no sums and come several in a request.
@Suite struct UnlikeProviderTests {
    private struct Pair {
        let provider: any Provider
        let sender: any Sender
        let foreign: any Sender

        init(_ fixture: ProviderFixture) throws {
            provider = try fixture.descriptor.make(fixture.endpoint.settings)
            sender = try fixture.descriptor.makeSender(fixture.endpoint.settings)
            foreign = try fixture.descriptor.makeSender(fixture.endpoint.foreign)
        }
    }

    @Test(arguments: ProviderFixture.unlike)
    func `what is sent is what is read`(_ fixture: ProviderFixture) throws {
        let pair = try Pair(fixture)
        var identities: Set<String> = []
        var sent: Set<EventType> = []
        for type in EventType.allCases {
            let event = SampleEvent.sample(type)
            guard let outbound = try? pair.sender.sign(event, path: "/ipn") else { continue }
            sent.insert(type)
            let read = try pair.provider.receive(outbound.delivery)
            identities.insert(read.id)
            // Midtrans reports a capture as the payment's success.
            let isSale = type == .captured && read.kind == "payment" && read.status == "paid"
            let isSame = read.kind == event.kind && read.status == event.status
            #expect(isSame || isSale, "\(type) \(read)")
            let hasSum = read.effect.amount == SenderTests.money
            #expect(hasSum == (fixture.name != "gocardless" && type != .ignored), "\(type) \(read)")
            #expect(read.flags.isEmpty, "\(type)")
            let isNamed = type != .ignored && !fixture.kindsWithoutReference.contains(event.kind)
            if isNamed { #expect(read.reference ?? read.alias == "REQ-1", "\(type)") }
            // The same token comes with every notification of Xendit.
            let foreign = try pair.foreign.sign(event, path: "/ipn").delivery
            #expect(pair.provider.refusal(foreign)?.kind == .unauthenticated, "\(type)")
        }
        #expect(identities.count == sent.count)
        #expect(sent.isSuperset(of: [.pending, .paid, .failed, .refunded, .chargedBack]))
    }

    @Test(arguments: ProviderFixture.unlike)
    func `only an accepted notification is not sent again`(_ fixture: ProviderFixture) throws {
        let pair = try Pair(fixture)
        for (verdict, isLast) in [
            (.accepted, true), (.unavailable, false), (.refused(.signatureMismatch), false),
            (.refused(.malformed("x", "")), false),
        ] as [(Verdict, Bool)] {
            let answer = pair.provider.answer(verdict)
            let judged = pair.sender.judge(
                status: answer.status, contentType: answer.contentType, body: answer.body)
            #expect((judged == .accepted) == isLast, "\(verdict)")
        }
        #expect(fixture.isPublishedSchedule(pair.sender.publishedRetrySchedule))
    }

    @Test func `requests at a wrong path give their providers away`() throws {
        let body = #"{"events":[],"meta":{"webhook_id":"WB1"}}"#
        let catalog = ProviderCatalog.shipped
        for (header, body, name) in [
            ("webhook-signature", body, "gocardless"), ("x-callback-token", "{}", "xendit"),
        ] {
            let found = Marks.fields(
                of: Array(body.utf8), bytesMax: 65_536, among: catalog.markFields)
            let names = catalog.list.filter {
                $0.marks.match([Header(header, "x")], fieldsFound: found)
            }.map(\.name)
            #expect(names.contains(name), "\(names)")
        }
    }

    @Test func `a batch is the sum of its events, and every byte of it is signed`() throws {
        let pair = try Pair(.gocardless)
        let types: [EventType] = [.pending, .paid, .chargedBack]
        let alone = try types.map { type in
            try pair.sender.sign(.sample(type), path: "/ipn").delivery
        }
        let elements = alone.map { delivery in
            let text = delivery.bodyText
            return String(text[text.firstIndex(of: "[")!...].dropFirst().prefix { $0 != "]" })
        }
        var batch = alone[0]
        batch.bodyText = #"{"events":[\#(elements.joined(separator: ","))],"meta":{}}"#
        let secret = Array("first secret of gocardless".utf8)
        let code = HMAC.code(.sha256, key: secret, message: batch.body)
        batch = batch.with(header: "webhook-signature", Hex.encode(code))
        #expect(try Self.notifications(pair.provider, batch) == alone.map(pair.provider.receive))

        for place in stride(from: 0, to: batch.body.count, by: 7) {
            var changed = batch
            changed.body[place] ^= 1
            #expect(pair.provider.refusal(changed)?.kind == .unauthenticated, "byte \(place)")
        }
        #expect(pair.provider.refusal(alone[0].with(header: "webhook-signature", nil)) != nil)
    }

    private static func notifications(
        _ provider: some Provider, _ delivery: SignedRequest
    ) throws -> [Notification] {
        provider.notifications(in: try provider.verify(delivery).evidence)
    }
}
