import JSON

// Any bytes give a document or a reason. Every value of a document can be read, and its exact bytes
// are a document again.

private func walk(_ value: JSONValue, _ depth: Int) {
    precondition(depth <= 64)
    precondition(!value.rawBytes.isEmpty)
    _ = (value.string, value.int64, value.bool, value.isNull, value.lexeme)
    for member in value.members { walk(member.value, depth + 1) }
    for element in value.elements { walk(element, depth + 1) }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do throws(JSONError) {
        let document = try JSONDocument(parsing: bytes)
        precondition(JSONWriter.isValidUTF8(bytes[...]))
        precondition(document.comparedBytes <= 2 * bytes.count)
        walk(document.root, 0)
        let again = try JSONDocument(parsing: Array(document.root.rawBytes))
        precondition(again.root.kind == document.root.kind)
    } catch {
        precondition(!error.reason.isEmpty)
    }
    return 0
}
