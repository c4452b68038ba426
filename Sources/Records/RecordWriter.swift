import JSON
import Payments

/// Writes a piece of a record straight into the spare memory of an array, whose count changes once
/// at the end.
///
/// The caller gives the most bytes that it needs. The writer stops the program before it writes
/// beyond that.
struct RecordWriter {
    private var end: UnsafeMutablePointer<UInt8>
    private let limit: UnsafeMutablePointer<UInt8>

    fileprivate init(_ start: UnsafeMutablePointer<UInt8>, room: Int) {
        end = start
        limit = start + room
    }

    /// Most bytes of a text of this many bytes: six for each, the quotes, and the rest of a word
    /// that is stored for its first byte.
    static func room(_ byteCount: Int) -> Int { byteCount * 6 + 10 }
    static func room(_ text: String?) -> Int { text.map { room($0.utf8.count) } ?? 0 }

    /// Writes punctuation and names unchanged.
    @inline(__always)
    mutating func fragment(_ text: StaticString) {
        let count = text.utf8CodeUnitCount
        take(count)
        end.update(from: text.utf8Start, count: count)
        end += count
    }

    /// Writes text in quotes, with escapes.
    mutating func text(_ text: String) { quoted(text.utf8.span, isLatin1: false) }

    /// Writes each byte as the code point of the same number, in quotes.
    mutating func latin1(_ bytes: Span<UInt8>) { quoted(bytes, isLatin1: true) }

    private mutating func quoted(_ bytes: Span<UInt8>, isLatin1: Bool) {
        put(UInt8(ascii: "\""))
        escaped(bytes, isLatin1: isLatin1)
        put(UInt8(ascii: "\""))
    }

    /// Writes text with escapes and without quotes.
    mutating func escaped(_ bytes: Span<UInt8>, isLatin1: Bool = false) {
        take(bytes.count * 6 + 8)
        end =
            isLatin1
            ? JSONWriter.escape(latin1: bytes, to: end) : JSONWriter.escape(utf8: bytes, to: end)
    }

    /// Writes a text after its comma and name; nothing when there is none.
    @inline(__always)
    mutating func text(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        fragment(name)
        self.text(text)
    }

    /// Writes an integer, in decimal.
    mutating func integer(_ value: Int64) {
        take(20)
        var rest = value.magnitude
        if value < 0 { put(UInt8(ascii: "-")) }
        var count = 1
        var bound: UInt64 = 10
        while count < 19, rest >= bound {
            count += 1
            bound *= 10
        }
        for place in stride(from: count - 1, through: 0, by: -1) {
            end[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        end += count
    }

    /// Writes a moment in quotes.
    mutating func moment(_ moment: Timestamp) {
        put(UInt8(ascii: "\""))
        let text = moment.rfc3339Text
        take(text.bytes.count)
        withUnsafeBytes(of: text.bytes) { bytes in
            UnsafeMutableRawBufferPointer(start: end, count: bytes.count).copyMemory(from: bytes)
        }
        end += text.count
        put(UInt8(ascii: "\""))
    }

    /// Writes an amount after its comma and name; nothing when there is none.
    mutating func amount(_ name: StaticString, _ amount: Money?) {
        guard let amount else { return }
        fragment(name)
        fragment(#"{"minor":"#)
        integer(amount.minor)
        fragment(#","currency":""#)
        // The code as a string would cost two allocations.
        let index = amount.currency.index
        put(UInt8(ascii: "A") + UInt8(index / 676))
        put(UInt8(ascii: "A") + UInt8(index / 26 % 26))
        put(UInt8(ascii: "A") + UInt8(index % 26))
        fragment(#""}"#)
    }

    /// Writes a list of flags.
    mutating func flags(_ flags: [Flag]) {
        fragment("[")
        for (index, flag) in flags.enumerated() {
            if index > 0 { fragment(",") }
            text(flag.rawValue)
        }
        fragment("]")
    }

    private mutating func put(_ byte: UInt8) {
        take(1)
        end.pointee = byte
        end += 1
    }

    /// Checks that there is room for `count` bytes more.
    @inline(__always)
    private func take(_ count: Int) {
        precondition(count <= limit - end, "a piece of a record is longer than its room")
    }
}

extension [UInt8] {
    /// Appends what `write` writes, at most `count` bytes.
    mutating func write(atMost count: Int, _ write: (inout RecordWriter) -> Void) {
        append(addingCapacity: count) { output in
            output.withUnsafeMutableBufferPointer { room, written in
                guard let start = room.baseAddress else { return }
                var writer = RecordWriter(start + written, room: room.count - written)
                write(&writer)
                written = writer.written(since: start)
            }
        }
    }
}

extension RecordWriter {
    fileprivate func written(since start: UnsafeMutablePointer<UInt8>) -> Int { end - start }
}
