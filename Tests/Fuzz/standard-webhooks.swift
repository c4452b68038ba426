import Bytes
import Cryptography
import Payments

@testable import Providers

// The input has four lines: `webhook-id`, `webhook-timestamp`, `webhook-signature`, and the body,
// which may have more. Without the secret no input is accepted. With a valid signature in addition
// to the rest of the header, only the other two headers can cause a refusal.

private let key = [UInt8](repeating: 7, count: 24)
private let provider = make()

private func make() -> StandardWebhooks {
    let settings = EndpointSettings(
        name: "f",
        [
            "secrets": .secrets([Array("whsec_\(Base64.encode(key))".utf8)]),
            "fields": .fields(
                FieldMapping(
                    identity: ["/id"], reference: "/r", status: "/s", amount: "/a",
                    currency: .fixed("MYR"), statuses: ["ok": .paid, "back": .refunded])),
        ])
    guard let provider = try? StandardWebhooks(settings: settings) else {
        preconditionFailure("the settings can be used")
    }
    return provider
}

/// The reason code of the refusal, or nil.
private func refusal(
    _ id: ArraySlice<UInt8>, _ time: ArraySlice<UInt8>, _ signature: [UInt8], _ body: [UInt8]
) -> String? {
    let names = ["webhook-id", "webhook-timestamp", "webhook-signature"].map { Array($0.utf8)[...] }
    let headers = zip(names, [id, time, signature[...]]).map { Header(name: $0, value: $1) }
    let delivery = SignedRequest(
        path: Array("/f".utf8)[...], headers: headers, body: body,
        received: Timestamp(microseconds: 1_700_000_000_000_000))
    do throws(Refusal) {
        let verified = try provider.verify(delivery)
        let notification = provider.interpret(verified.evidence)
        precondition(
            !notification.id.isEmpty && notification == provider.interpret(verified.evidence))
        return nil
    } catch {
        precondition(!error.reason.isEmpty)
        return error.reason
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStandardWebhooks(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let lines = bytes.split(
        separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
    guard lines.count == 4 else { return 0 }
    let body = Array(lines[3])
    precondition(refusal(lines[0], lines[1], Array(lines[2]), body) != nil)
    let content = StandardWebhooks.content(id: lines[0], time: lines[1], body: body)
    let code = HMAC.code(.sha256, key: key, message: Array(content.joined()))
    let signature = lines[2] + Array(" v1,\(Base64.encode(code))".utf8)
    let reasons = [
        nil, "webhook_id_malformed", "timestamp_malformed", "timestamp_out_of_tolerance",
        "signature_too_many",
    ]
    precondition(reasons.contains(refusal(lines[0], lines[1], Array(signature), body)))
    return 0
}
