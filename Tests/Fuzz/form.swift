import Bytes
import Payments

@testable import Providers

// Fuzzes the form parser: a form is rejected or parsed, and the encoded result parses to the same.
// The same form, signed as Citcon Pay signs it, gets a verdict and then a notification, but not
// with another signature.

private let token = Array("1234567890abcdef1234567890abcdeq".utf8)
private let provider = make()

private func make() -> CitconPay {
    guard
        let provider = try? CitconPay(
            settings: EndpointSettings(name: "f", ["secrets": .secrets([token])]))
    else { preconditionFailure("the token can be used") }
    return provider
}

private func written(_ fields: [(String, String)]) -> [UInt8] {
    let pairs = fields.map { name, value in
        "\(PercentEncoding.encode(Array(name.utf8)))=\(PercentEncoding.encode(Array(value.utf8)))"
    }
    return Array(pairs.joined(separator: "&").utf8)
}

private func reading(_ bytes: [UInt8]) -> FormBody? {
    do throws(Refusal) {
        var work = VerificationWork(receivedBytes: bytes.count)
        let form = try FormBody(parsing: bytes[...], work: &work)
        precondition(form.fields.count <= RawForm.countMax)
        return form
    } catch {
        precondition(error.reason.hasPrefix("form_") && !error.detail.isEmpty)
        return nil
    }
}

private func verdict(_ body: [UInt8]) -> Verified<CitconEvidence>? {
    do throws(Refusal) {
        return try provider.verify(
            SignedRequest(
                path: Array("/f".utf8)[...], headers: [], body: body,
                received: Timestamp(microseconds: 1_700_000_000_000_000)))
    } catch {
        precondition(!error.reason.isEmpty)
        _ = provider.answer(.refused(error))
        return nil
    }
}

/// Returns the form as its sender would sign it: over the fields in its list, or over all.
private func sign(_ form: FormBody) {
    var fields = form.fields.map { ($0.name, $0.value) }.filter { $0.0 != "sign" }
    if form["fields"] == nil {
        fields.append(("fields", fields.map(\.0).joined(separator: ",")))
    }
    var work = VerificationWork(receivedBytes: 1 << 20)
    guard let unsigned = reading(written(fields)), let list = unsigned["fields"],
        let listed = try? ListedFields(
            listing: Array(list.utf8)[...], in: unsigned, work: &work)
    else { return }
    let sign = CitconPay.sign(listed.signedText, token: token)
    let code = String(decoding: sign, as: UTF8.self)
    guard let verified = verdict(written(fields + [("sign", code)])) else { return }
    precondition(verified.evidence.fields == listed && verified.key == "1")
    let notification = provider.interpret(verified.evidence)
    precondition(
        !notification.id.isEmpty && notification == provider.interpret(verified.evidence))
    precondition(verdict(written(fields + [("sign", String(code.reversed()) + "0")])) == nil)
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzForm(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    _ = verdict(bytes)
    guard let form = reading(bytes) else { return 0 }
    precondition(reading(written(form.fields.map { ($0.name, $0.value) })) == form)
    sign(form)
    return 0
}
