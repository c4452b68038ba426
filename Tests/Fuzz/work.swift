import Payments
import ProviderFixtures

@testable import Providers

// Rejecting an unsigned request costs a bounded number of bytes hashed, compared or copied for each
// byte received; counted, not timed. The input is a body, or after a zero byte a recipe for one:
// length of the names, number and kind of the members.

/// Every provider whose verification is measured, with two secrets, neither of which verifies.
private let measured: [(fixture: ProviderFixture, provider: any MeasuredProvider)] =
    ProviderFixture.all.compactMap { fixture in
        var settings = fixture.endpoint.settings
        settings.secrets += fixture.endpoint.foreign.secrets
        guard let provider = try? fixture.descriptor.make(settings) else {
            preconditionFailure("the settings can be used")
        }
        return (provider as? any MeasuredProvider).map { (fixture, $0) }
    }

/// Returns the work of verifying `body` within `limits`.
private func work(
    _ system: some MeasuredProvider, _ body: [UInt8], _ limits: VerificationLimits
) -> VerificationWork {
    var work = VerificationWork(receivedBytes: body.count, limits: limits)
    do throws(Refusal) {
        _ = try system.verify(
            SignedRequest(
                path: [], headers: [], body: body,
                received: Timestamp(microseconds: 1_700_000_000_000_000)), work: &work)
        preconditionFailure("nobody signed it")
    } catch {
        precondition(!error.reason.isEmpty && !error.detail.isEmpty)
        precondition(error.reason != "verification_too_costly" || error.kind == .malformed)
    }
    return work
}

private func check(_ body: [UInt8]) {
    for (fixture, provider) in measured {
        let spent = work(provider, body, VerificationLimits()).bytes
        precondition(spent <= 16 * body.count + 65_536)
        // The others spend a few times the size of the body without the limit: most for 64 long
        // and similar listed names, each of which is compared with six others.
        guard !fixture.triesManyTexts else { continue }
        var none = VerificationLimits()
        none.verificationBytesPerByteMax = .max
        precondition(work(provider, body, none).bytes <= 12 * body.count + 1024)
    }
}

/// Members `name0`, `name1`, … in an object with one long name, as JSON for ecommpay and Citcon and
/// as a form.
private func bodies(_ recipe: [UInt8]) -> [[UInt8]] {
    func number(_ index: Int) -> Int { index < recipe.count ? Int(recipe[index]) : 1 }
    let letters = ["k", "7", "\\u006e", ":", "%6e", " 1"]
    let letter = letters[number(0) % letters.count]
    let outer = String(repeating: letter, count: number(1) * 4)
    let inner = String(repeating: letter, count: number(2))
    let count = number(3) * 8
    let values = ["1", "1.50", "12345678", "1e25", "null", "\"\"", "[]", "{\"a\":1}"]
    let value = values[number(4) % values.count]
    let names = (0..<count).map { "\(inner)\($0)" }
    let members = names.map { "\"\($0)\":\(value)" }.joined(separator: ",")
    let elements = [String](repeating: value, count: count).joined(separator: ",")
    let list = names.prefix(number(5)).joined(separator: ",")
    return [
        "{\"signature\":\"AAAA\",\"\(outer)\":{\(members)}}",
        "{\"signature\":\"AAAA\",\"\(outer)\":[\(elements)]}",
        "{\"sign\":\"a\",\"fields\":\"\(list)\"\(members.isEmpty ? "" : ",")\(members)}",
        "sign=a&fields=\(list)&" + names.map { "\($0)=1" }.joined(separator: "&"),
    ].map { Array($0.utf8) }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWork(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard bytes.first == 0 else {
        check(bytes)
        return 0
    }
    for body in bodies(Array(bytes.dropFirst())) { check(body) }
    return 0
}
