import PaymentNotifications
import Testing

/// The library's purpose: is it genuine, what does it report, what is the answer.
@Suite struct VerifyingTests {
    @Test func `a genuine notification pays the order`() throws {
        let sample = try AntomSample()
        let antom = try sample.provider
        let verified = try antom.verify(sample.request)
        #expect(verified.key == "1")
        let notification = antom.interpret(verified.evidence)
        #expect(notification.kind == "payment" && notification.status == "paid")
        #expect(notification.reference == "cc89dd30134549d6")
        var order = Order()
        order.apply(notification)
        #expect(order.status == .paid)
        #expect(order.summary.captured?.description == "1.00 PHP")
        let answer = antom.answer(.accepted)
        #expect(answer.status == 200 && answer.contentType == "application/json")
        #expect(String(decoding: answer.body, as: UTF8.self).contains(#""resultStatus":"S""#))
    }

    @Test func `a forged notification is refused with a reason`() throws {
        let sample = try AntomSample(body: "{}")
        let antom = try sample.provider
        do throws(Refusal) {
            _ = try antom.verify(sample.request)
            Issue.record("accepted")
        } catch {
            #expect(error.kind == .unauthenticated && error.reason == "signature_mismatch")
            #expect(antom.answer(.refused(error)).status == 401)
        }
        #expect(antom.answer(.unavailable).status == 503)
    }

    @Test func `the provider of a recipe takes typed settings`() throws {
        let sample = try RecipeSample()
        let provider = try RecipeProvider(.stripe, settings: .init(secrets: [sample.secret]))
        let notification = provider.interpret(try provider.verify(sample.request).evidence)
        #expect(notification.transaction == "pi_3IPND0001main")
        let euro = try #require(Currency("EUR"))
        #expect(notification.effect == .attempt(.paid, Money(minor: 4200, currency: euro)))
        let strict = try RecipeProvider(
            .stripe,
            settings: .init(secrets: [sample.secret], others: ["toleranceSeconds": 1]))
        #expect(throws: Refusal.self) { try strict.verify(sample.request) }
    }

    /// The steps of a server in one call, for a provider whose type is not known at compile time.
    @Test func `a provider by name receives`() async throws {
        let sample = try RecipeSample()
        let provider = try ProviderRegistry.provider(
            named: "stripe", settings: ["secrets": [sample.secret], "mode": "live"])
        var order = Order()
        for notification in try await provider.receive(sample.request) {
            order.apply(notification)
        }
        #expect(order.status == .paid)
    }

    @Test func `a repeated header and a query reach the provider as they were`() throws {
        let sample = try AntomSample()
        var repeated = sample.request
        repeated.method = "GET"
        #expect(throws: Refusal.self) { try sample.provider.verify(repeated) }
        let request = SignedRequest(
            path: "/ipn?a=b", headers: [("Signature", "1"), ("signature", "2")], body: [],
            received: Timestamp(microseconds: 0))
        let provider = try RecipeProvider(.stripe, settings: .init(secrets: ["x"]))
        do throws(Refusal) {
            _ = try provider.verify(request)
            Issue.record("accepted")
        } catch {
            #expect(error.reason == "missing_header")
        }
    }
}
