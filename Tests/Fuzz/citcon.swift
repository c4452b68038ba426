import Cryptography
import Payments

@testable import Providers

// Fuzzes both of Citcon's gateways with a flat JSON body: each gives a verdict, also for the same
// body with a valid signature over its list of fields.

private let secret = Array("1234567890abcdef1234567890abcdeq".utf8)
private let settings = EndpointSettings(name: "f", ["secrets": .secrets([secret])])

private func check<System: Provider>(
    _ system: System?, _ body: [UInt8]
) where System.Evidence == CitconEvidence {
    guard let system else { preconditionFailure("the secret can be used") }
    do throws(Refusal) {
        let delivery = SignedRequest(
            path: Array("/f".utf8)[...], headers: [], body: body,
            received: Timestamp(microseconds: 1_700_000_000_000_000))
        let verified = try system.verify(delivery)
        let notification = system.interpret(verified.evidence)
        precondition(
            !notification.id.isEmpty && notification == system.interpret(verified.evidence))
    } catch {
        precondition(!error.reason.isEmpty && !error.detail.isEmpty)
        _ = system.answer(.refused(error))
    }
}

/// Returns `body`, an object, with `sign` as its first member, unless it already has a `sign`.
private func signed(_ body: [UInt8], _ code: [UInt8]) -> [UInt8] {
    guard let brace = body.firstIndex(of: UInt8(ascii: "{")) else { return body }
    let member = Array(#""sign":""#.utf8) + code + Array(#"","#.utf8)
    return Array(body[...brace]) + member + body[(brace + 1)...]
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCitcon(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let upi = try? CitconUPI(settings: settings)
    let pay = try? CitconPay(settings: settings)
    check(upi, bytes)
    var work = VerificationWork(receivedBytes: bytes.count)
    guard let body = try? ListedFieldsJSON(parsing: bytes, work: &work),
        let list = try? body.requiredText("fields"),
        let fields = try? ListedFields(listing: list, in: body, work: &work)
    else { return 0 }
    let text = fields.signedText
    check(upi, signed(bytes, CitconUPI.sign(text, secret: secret)))
    check(pay, signed(bytes, CitconPay.sign(text, token: secret)))
    return 0
}
