import Testing

@testable import Providers

@Suite struct VerificationWorkTests {
    @Test func `what is spent cannot exceed the limit`() throws {
        var limits = VerificationLimits()
        limits.verificationBytesPerByteMax = 4
        limits.verificationBytesFree = 100
        var work = VerificationWork(receivedBytes: 25, limits: limits)
        #expect(work.bytesMax == 200)
        try work.spend(150)
        try work.spend(50)
        #expect(work.bytesLeft == 0)
        let refusal = #expect(throws: Refusal.self) { try work.spend(1) }
        #expect(refusal?.kind == .malformed && refusal?.reason == "verification_too_costly")
    }

    /// After one step that is too large, smaller ones are refused, too.
    @Test func `a refusal is final`() throws {
        var work = VerificationWork(receivedBytes: 0)
        #expect(throws: Refusal.self) { try work.spend(65_537) }
        #expect(throws: Refusal.self) { try work.spend(1) }
    }

    @Test func `no limit overflows`() {
        var limits = VerificationLimits()
        limits.verificationBytesPerByteMax = .max
        #expect(VerificationWork(receivedBytes: 2, limits: limits).bytesMax == .max)
        limits = VerificationLimits()
        limits.verificationBytesFree = .max
        #expect(VerificationWork(receivedBytes: 2, limits: limits).bytesMax == .max)
    }

    /// Bodies built to be expensive. Preparing one takes a few times its bytes; all attempts
    /// together stay within the limit.
    @Test(arguments: HostileBody.all)
    func `no body costs more than its size allows`(_ body: HostileBody) throws {
        let providers = try HostileBody.providers()
        #expect(providers.count >= 3)
        for (fixture, provider) in providers {
            var work = VerificationWork(receivedBytes: body.bytes.count)
            let refusal = body.refusal(of: provider, &work)
            let allowed = 16 * body.bytes.count + 65_536
            #expect(refusal != nil && work.bytes <= allowed, "\(fixture)")
            let isCheap = work.bytes <= 8 * body.bytes.count + 1024
            #expect(isCheap || fixture.triesManyTexts, "\(fixture)")
        }
    }

    /// The bodies of the original report, which took 13 to 20 ms.
    @Test func `many elements under one long key are refused at once`() throws {
        let body = HostileBody.elements(1000, key: String(repeating: "k", count: 1000)) { _ in "1" }
        let refusal = try Ecommpay(settings: HostileBody.settings).refusal(
            SignedRequest(body: body))
        #expect(refusal?.kind == .malformed && refusal?.reason == "callback_too_large")
    }

    /// The combinations of orders, forms and secrets are tried up to the limit.
    @Test func `the product is bounded`() throws {
        let body = HostileBody.elements(40, key: "k") { "1\($0).50e1" }
        func refusal(secrets: Int) throws -> Refusal? {
            try Ecommpay(
                settings: EndpointSettings(
                    name: "e", ["secrets": .secrets((0..<secrets).map { [UInt8($0 + 1)] })])
            ).refusal(SignedRequest(body: body))
        }
        #expect(try refusal(secrets: 1) == .signatureMismatch)
        #expect(try refusal(secrets: 20)?.reason == "verification_too_costly")
    }

    @Test func `the limit is the endpoints`() throws {
        var settings = HostileBody.settings
        settings.verificationLimits.verificationBytesPerByteMax = 4
        settings.verificationLimits.verificationBytesFree = 0
        let body = #"{"signature":"AAAA","payment":{"id":"1","status":"success"}}"#
        let generous = try Ecommpay(settings: HostileBody.settings)
        #expect(generous.refusal(SignedRequest(body: body)) == .signatureMismatch)
        let strict = try Ecommpay(settings: settings)
        let long = HostileBody.elements(100, key: "abcdefghijklmnop") { _ in "1" }
        #expect(strict.refusal(SignedRequest(body: long))?.reason == "verification_too_costly")
    }
}
