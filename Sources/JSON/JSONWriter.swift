import Bytes

/// Writes compact JSON into one array of bytes. Commas are inserted automatically; correct nesting
/// is the caller's responsibility.
///
/// ```swift
/// let text = JSONWriter.object {
///     $0.member("id", order.id)
///     $0.member("amount", order.minor)
///     $0.member("note", ifPresent: order.note)
///     $0.array("captures", order.captures) { $0.member("id", $1.id) }
/// }
/// ```
///
/// `beginObject`, `key` and their relatives are for callers that write one object in several calls
/// or copy members.
///
/// Escapes only what RFC 8259 §7 requires: quotes, backslashes and control characters.
package struct JSONWriter: Sendable {
    /// The bytes written so far.
    package var bytes: [UInt8]
    /// Whether a comma must precede the next value or name.
    private var needsComma = false

    /// - Parameter reserving: Number of bytes to reserve.
    package init(reserving: Int = 0) {
        bytes = []
        bytes.reserveCapacity(reserving)
    }

    /// Starts a new text after `bytes`, which are moved, not copied, if the caller gives up its
    /// own.
    package init(appendingTo bytes: consuming [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the text of one object.
    ///
    /// - Parameters:
    ///   - reserving: Number of bytes to reserve.
    ///   - content: Writes the members.
    package static func object(
        reserving: Int = 0, _ content: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var json = JSONWriter(reserving: reserving)
        json.object(nil, content)
        return json.bytes
    }

    /// Returns the bytes and leaves the writer empty, ready for the next text.
    package mutating func takeBytes() -> [UInt8] {
        let taken = bytes
        bytes = []
        needsComma = false
        return taken
    }

    /// Forgets open containers, so that another text can start after the present bytes.
    package mutating func restart() { needsComma = false }

    /// Starts an object; each member is a `key` and a value. `endObject` ends it.
    package mutating func beginObject() { open(UInt8(ascii: "{")) }

    /// Ends the innermost object.
    package mutating func endObject() { close(UInt8(ascii: "}")) }

    /// Starts an array; its elements follow. `endArray` ends it.
    package mutating func beginArray() { open(UInt8(ascii: "[")) }

    /// Ends the innermost array.
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes a member's name, escaped where necessary.
    ///
    /// Disfavoured because Swift would otherwise prefer it to the cheaper overload for a literal.
    @_disfavoredOverload
    package mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a name that is known at compile time and needs no escaping. Swift selects this
    /// overload for a literal.
    package mutating func key(_ name: StaticString) {
        assert(!name.description.utf8.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C })
        let count = name.utf8CodeUnitCount
        let hasComma = needsComma
        unsafe append(atMost: count + 4) { target in
            var end = unsafe target
            if hasComma { unsafe Self.put(UInt8(ascii: ","), &end) }
            unsafe Self.put(UInt8(ascii: "\""), &end)
            unsafe end.update(from: name.utf8Start, count: count)
            unsafe end += count
            unsafe Self.put(UInt8(ascii: "\""), &end)
            unsafe Self.put(UInt8(ascii: ":"), &end)
            return unsafe end
        }
        needsComma = false
    }

    /// Writes an integer of any width in decimal.
    package mutating func integer(_ value: some BinaryInteger) {
        if let value = Int64(exactly: value) {
            integer(value)
        } else {
            comma()
            bytes.append(contentsOf: String(value).utf8)
        }
    }

    /// Writes an integer in decimal.
    package mutating func integer(_ value: Int) { integer(Int64(value)) }

    /// Writes an integer in decimal.
    package mutating func integer(_ value: Int64) {
        comma()
        unsafe append(atMost: 20) { target in
            var end = unsafe target
            if value < 0 { unsafe Self.put(UInt8(ascii: "-"), &end) }
            var rest = value.magnitude
            var digitCount = 1
            while rest >= 10 {
                rest /= 10
                digitCount += 1
            }
            rest = value.magnitude
            for place in stride(from: digitCount - 1, through: 0, by: -1) {
                unsafe end[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            return unsafe end + digitCount
        }
    }

    /// Writes `true` or `false`.
    package mutating func boolean(_ value: Bool) { literal(value ? "true" : "false") }

    /// Writes `null`.
    package mutating func null() { literal("null") }

    /// Writes a value that is already JSON, e.g. a number's literal or a part of another document.
    package mutating func raw(_ value: ArraySlice<UInt8>) {
        comma()
        bytes.append(contentsOf: value)
    }

    // MARK: Members

    /// Writes any value that has a JSON form; an optional without a value is written as `null`.
    package mutating func value(_ value: some JSONWritable) { value.write(to: &self) }

    /// Writes a member: a name that is known at compile time, and its value.
    package mutating func member(_ name: StaticString, _ value: some JSONWritable) {
        key(name)
        value.write(to: &self)
    }

    /// Writes a member whose name is escaped where necessary.
    @_disfavoredOverload
    package mutating func member(_ name: String, _ value: some JSONWritable) {
        key(name)
        value.write(to: &self)
    }

    /// Writes a member if there is a value, and nothing otherwise.
    package mutating func member(_ name: String, ifPresent value: (some JSONWritable)?) {
        if let value { member(name, value) }
    }

    /// Writes a member whose value is already JSON.
    package mutating func member(_ name: StaticString, raw value: ArraySlice<UInt8>) {
        key(name)
        raw(value)
    }

    /// Writes a member whose value is `null`.
    package mutating func null(_ name: String) {
        key(name)
        null()
    }

    /// Writes an object, which is the value of the member `name` if that is given.
    ///
    /// - Parameter content: Writes the members.
    package mutating func object(
        _ name: String? = nil, _ content: (inout JSONWriter) -> Void
    ) {
        if let name { key(name) }
        beginObject()
        content(&self)
        endObject()
    }

    /// Writes an array, which is the value of the member `name` if that is given.
    ///
    /// - Parameter content: Writes the elements.
    package mutating func array(
        _ name: String? = nil, _ content: (inout JSONWriter) -> Void
    ) {
        if let name { key(name) }
        beginArray()
        content(&self)
        endArray()
    }

    /// Writes a member whose value is an array of objects.
    ///
    /// - Parameter content: Writes the members of one element's object.
    package mutating func array<Element>(
        _ name: String, _ elements: [Element],
        _ content: (inout JSONWriter, Element) -> Void
    ) {
        key(name)
        beginArray()
        for element in elements { object { content(&$0, element) } }
        endArray()
    }

    /// Writes a member whose value is an array of values.
    package mutating func array(_ name: String, _ elements: [some JSONWritable]) {
        member(name, elements)
    }

    // MARK: Strings

    /// Bytes of text escaped at a time, which bounds the room reserved for the worst case.
    private static let chunkBytes = 4096

    /// Writes text, escaped where necessary.
    package mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { unsafe quoted($0.span, isLatin1: false) }
    }

    /// Writes text from bytes that are known to be UTF-8, or were checked with `isValidUTF8`.
    package mutating func string(utf8 value: ArraySlice<UInt8>) {
        quoted(value.span, isLatin1: false)
    }

    /// Writes text from bytes that are known to be UTF-8, or were checked with `isValidUTF8`.
    package mutating func string(utf8 value: Span<UInt8>) {
        quoted(value, isLatin1: false)
    }

    /// Writes UTF-8 text for a log: characters that control a terminal or a viewer are written as
    /// escapes such as `\u009b`, which read back as the same text.
    package mutating func string(visible value: Span<UInt8>) {
        guard value.mayHoldSteering else { return quoted(value, isLatin1: false) }
        let text = unsafe value.withUnsafeBufferPointer {
            unsafe String(decoding: $0, as: UTF8.self)
        }
        let start = bytes.count
        string(text)
        let written = String(decoding: bytes[start...], as: UTF8.self)
        bytes.removeLast(bytes.count - start)
        bytes += written.escapingSteeringBeyondASCII.utf8
    }

    /// Writes each byte as the code point of the same number (ISO 8859-1), so that any bytes can be
    /// written and read back. For header values, which RFC 9110 §5.5 does not restrict to UTF-8.
    package mutating func string(latin1 value: ArraySlice<UInt8>) {
        quoted(value.span, isLatin1: true)
    }

    /// Whether the bytes are well-formed UTF-8 (RFC 3629 §4).
    package static func isValidUTF8(_ bytes: ArraySlice<UInt8>) -> Bool {
        UTF8Sequence.isValid(bytes.span)
    }

    /// Whether the bytes are well-formed UTF-8 (RFC 3629 §4).
    package static func isValidUTF8(_ bytes: Span<UInt8>) -> Bool { UTF8Sequence.isValid(bytes) }

    private mutating func quoted(_ value: Span<UInt8>, isLatin1: Bool) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        while start < value.count {
            let end = min(start + Self.chunkBytes, value.count)
            let chunk = value.extracting(start..<end)
            // At worst six bytes per byte; a whole word may be stored where one byte is kept.
            unsafe append(atMost: chunk.count * 6 + 8) {
                unsafe JSONEscaper.write(chunk, isLatin1: isLatin1, to: $0)
            }
            start = end
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes text without quotes to `target`, which must have room for six times its bytes plus
    /// eight. Returns the end of what was written.
    package static func escape(
        utf8 value: Span<UInt8>, to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        unsafe JSONEscaper.write(value, isLatin1: false, to: target)
    }

    /// Same as `escape(utf8:to:)`, but each byte becomes the code point of the same number.
    package static func escape(
        latin1 value: Span<UInt8>, to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        unsafe JSONEscaper.write(value, isLatin1: true, to: target)
    }

    // MARK: Bytes

    private mutating func comma() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
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
        unsafe bytes.append(
            contentsOf: UnsafeBufferPointer(
                start: spelling.utf8Start, count: spelling.utf8CodeUnitCount))
    }

    /// Reserves room for `count` bytes and calls `write` to fill it; `write` returns where it
    /// stopped. The capacity is checked once per token instead of once per byte, which encodes a
    /// journal record 4.6 times as fast as appending byte by byte.
    @inline(__always)
    private mutating func append(
        atMost count: Int,
        _ write: (UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8>
    ) {
        bytes.append(addingCapacity: count) { output in
            unsafe output.withUnsafeMutableBufferPointer { room, written in
                guard let start = room.baseAddress else { return }
                let end = unsafe write(start + written)
                written = unsafe end - start
                precondition(written <= room.count, "more was written than there was room for")
            }
        }
    }

    @inline(__always)
    static func put(_ byte: UInt8, _ end: inout UnsafeMutablePointer<UInt8>) {
        unsafe end.pointee = byte
        unsafe end += 1
    }
}

/// A value with one JSON form. Conform a type whose form is the same wherever it is written, e.g.
/// an amount; `JSONWriter.member` and `array` then accept it.
package protocol JSONWritable {
    /// Writes the value, without a name.
    func write(to json: inout JSONWriter)
}

extension String: JSONWritable {
    package func write(to json: inout JSONWriter) { json.string(self) }
}

extension Bool: JSONWritable {
    package func write(to json: inout JSONWriter) { json.boolean(self) }
}

extension Int: JSONWritable {
    package func write(to json: inout JSONWriter) { json.integer(self) }
}

extension Int64: JSONWritable {
    package func write(to json: inout JSONWriter) { json.integer(self) }
}

extension UInt64: JSONWritable {
    package func write(to json: inout JSONWriter) { json.integer(self) }
}

extension Array: JSONWritable where Element: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.array { for element in self { element.write(to: &$0) } }
    }
}

extension Optional: JSONWritable where Wrapped: JSONWritable {
    package func write(to json: inout JSONWriter) {
        if let self { self.write(to: &json) } else { json.null() }
    }
}
