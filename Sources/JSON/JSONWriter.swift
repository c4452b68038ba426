/// Writes compact JSON into one array of bytes. Commas come by themselves; that the calls nest
/// rightly is the caller's affair.
///
/// Escaped is what RFC 8259 §7 requires and nothing else: quote, backslash, control characters.
package struct JSONWriter: Sendable {
    /// What has been written so far.
    package var bytes: [UInt8]
    /// A comma must come before the next value or name.
    private var needsComma = false

    /// - Parameter reserving: how many bytes to make room for.
    package init(reserving: Int = 0) {
        bytes = []
        bytes.reserveCapacity(reserving)
    }

    /// Starts a new text after `bytes`. Moved in, not copied, when the caller gives up its own.
    package init(appendingTo bytes: consuming [UInt8]) {
        self.bytes = bytes
    }

    /// Gives the bytes away and leaves the writer empty, ready for the next text.
    package mutating func takeBytes() -> [UInt8] {
        let taken = bytes
        bytes = []
        needsComma = false
        return taken
    }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }

    package mutating func endObject() { close(UInt8(ascii: "}")) }

    package mutating func beginArray() { open(UInt8(ascii: "[")) }

    package mutating func endArray() { close(UInt8(ascii: "]")) }

    package mutating func key(_ name: String) {
        string(name)
        colon()
    }

    /// A name known when compiling, which must need no escaping.
    package mutating func key(_ name: StaticString) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        colon()
    }

    package mutating func integer(_ value: some BinaryInteger) {
        comma()
        bytes.append(contentsOf: String(value).utf8)
    }

    package mutating func boolean(_ value: Bool) { literal(value ? "true" : "false") }

    package mutating func null() { literal("null") }

    /// A value that is JSON already, e.g. a number's lexeme or a part of another document.
    package mutating func raw(_ value: ArraySlice<UInt8>) {
        comma()
        bytes.append(contentsOf: value)
    }

    mutating func comma() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func colon() {
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func open(_ bracket: UInt8) {
        comma()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func literal(_ spelling: StaticString) {
        comma()
        bytes.append(
            contentsOf: UnsafeBufferPointer(
                start: spelling.utf8Start, count: spelling.utf8CodeUnitCount))
    }
}
