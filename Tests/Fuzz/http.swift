import HTTP

// Fuzzes the HTTP parser within a connection: any split of the bytes gives the same requests and
// the same refusal without a trap, and a refused parser stays refused.

private struct Outcome: Equatable {
    var requests: [[UInt8]] = []
    var reason: String?
}

private func outcome(_ bytes: [UInt8], piece: Int) -> Outcome {
    var limits = Limits()
    limits.headBytesMax = 2048
    limits.bodyBytesMax = 512
    limits.chunkOverheadBytesMax = 256
    var parser = RequestParser(limits: limits)
    var outcome = Outcome()
    var index = 0
    do throws(HTTPError) {
        while index < bytes.count {
            let end = min(bytes.count, index + piece)
            let consumed = try parser.feed(bytes.span.extracting(index..<end))
            precondition(consumed <= end - index && (consumed > 0 || parser.status == .complete))
            index += consumed
            if parser.status == .complete {
                let request = parser.takeRequest()
                precondition(request.body.count <= limits.bodyBytesMax)
                precondition(request.path.first == UInt8(ascii: "/"))
                outcome.requests.append(Array(request.target) + [0] + request.body)
                for field in request.fields { outcome.requests.append(Array(field.value)) }
            }
        }
    } catch {
        precondition((400...505).contains(error.status))
        outcome.reason = error.reason
    }
    return outcome
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTP(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let whole = outcome(bytes, piece: max(1, count))
    precondition(whole == outcome(bytes, piece: 1))
    precondition(whole == outcome(bytes, piece: 7))
    return 0
}
