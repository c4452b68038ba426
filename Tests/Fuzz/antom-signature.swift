import Bytes

@testable import Providers

// Fuzzes the parser of the `signature` header: a header is rejected or parsed, and the parsed
// values, written in the canonical form or reversed with white space, parse to the same.

private func header(_ bytes: [UInt8]) -> AntomSignatureHeader? {
    do throws(Refusal) {
        return try AntomSignatureHeader(parsing: bytes[...])
    } catch {
        precondition(error.kind == .unauthenticated && error.reason.hasPrefix("signature_"))
        return nil
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAntomSignature(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let found = header(bytes) else { return 0 }
    precondition(
        found.signature.count <= count && (0...999_999_999).contains(found.keyVersion ?? 0))
    let base64 = Base64.encode(found.signature)
    // An empty signature is written as nothing and then missing.
    guard !base64.isEmpty else { return 0 }
    var parts = ["algorithm=RSA256", "signature=\(PercentEncoding.encode(Array(base64.utf8)))"]
    if let version = found.keyVersion { parts.append("keyVersion=\(version)") }
    precondition(header(Array(parts.joined(separator: ",").utf8)) == found)
    parts[1] = "signature = \(base64)\t"
    precondition(header(Array(parts.reversed().joined(separator: " , ").utf8)) == found)
    return 0
}
