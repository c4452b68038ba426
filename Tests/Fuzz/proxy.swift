@testable import HTTPServer

// Fuzzes the PROXY header: a prefix of a whole header needs more bytes, and no header is longer
// than its bytes.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzProxy(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard case .header(let length, _) = ProxyProtocolHeader.parse(bytes[...]) else { return 0 }
    precondition(length > 0 && length <= count)
    for end in 0..<length {
        precondition(ProxyProtocolHeader.parse(bytes[..<end]) == .needsBytes)
    }
    return 0
}
