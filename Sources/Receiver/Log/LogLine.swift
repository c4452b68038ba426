import Bytes
import JSON
import Payments
import Platform

/// How log lines look.
package enum LogFormat: String, Sendable, CaseIterable {
    /// `2026-11-21T07:00:00.123456Z info received endpoint=antom …`
    case text
    /// One JSON object a line.
    case json
}

/// Composes one log line. What comes from outside is quoted, so that nobody can write lines into
/// the log or pass text off as a field.
package struct LogLine {
    private var writer: JSONWriter
    private let format: LogFormat

    package init(_ format: LogFormat, level: String, message: String, time: Timestamp) {
        self.format = format
        writer = JSONWriter(reserving: 384)
        switch format {
        case .text:
            time.appendRFC3339(to: &writer.bytes)
            append(UInt8(ascii: " "))
            append(level.utf8.span)
            append(UInt8(ascii: " "))
            append(message.withoutSteering(replacement: " ").utf8.span)
        case .json:
            writer.beginObject()
            writer.key("time")
            writer.string(time.rfc3339)
            writer.key("level")
            writer.string(level)
            writer.key("message")
            writer.string(visible: message.utf8.span)
        }
    }

    /// A field whose name is known when compiling. A literal comes here by itself.
    package mutating func field(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        name.withUTF8Buffer { field($0.span, value.utf8.span) }
    }

    /// Disfavoured, because for a literal Swift would else prefer this one to the cheaper one.
    @_disfavoredOverload
    package mutating func field(_ name: String, _ value: String?) {
        guard let value else { return }
        field(name.utf8.span, value.utf8.span)
    }

    package mutating func field(_ name: StaticString, _ value: some BinaryInteger) {
        name.withUTF8Buffer { begin($0.span) }
        guard let small = Int64(exactly: value) else { return writer.integer(value) }
        writer.integer(small)
    }

    /// The finished line with its newline; nothing is left.
    package mutating func finished() -> [UInt8] {
        if format == .json { writer.endObject() }
        writer.bytes.append(UInt8(ascii: "\n"))
        return writer.takeBytes()
    }

    private mutating func field(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        if format == .text, value.isPlain {
            append(name, plain: value)
        } else {
            begin(name)
            writer.string(visible: value)
        }
    }

    /// ` name=value`, with one look at the room that is left.
    private mutating func append(_ name: Span<UInt8>, plain value: Span<UInt8>) {
        writer.bytes.append(addingCapacity: name.count + value.count + 2) { output in
            output.append(UInt8(ascii: " "))
            output.append(name)
            output.append(UInt8(ascii: "="))
            output.append(value)
        }
    }

    /// The name, and what stands between it and its value.
    private mutating func begin(_ name: Span<UInt8>) {
        switch format {
        case .text:
            append(UInt8(ascii: " "))
            append(name)
            append(UInt8(ascii: "="))
        case .json:
            writer.string(utf8: name)
            append(UInt8(ascii: ":"))
        }
        writer.restart()
    }

    private mutating func append(_ byte: UInt8) { writer.bytes.append(byte) }

    private mutating func append(_ text: Span<UInt8>) {
        text.withUnsafeBufferPointer { writer.bytes.append(contentsOf: $0) }
    }
}

extension Span<UInt8> {
    /// Letters, digits and the punctuation of ids, paths and addresses: what needs no quotes.
    fileprivate var isPlain: Bool {
        // Without a way out of the loop sixteen bytes are looked at together.
        var areAll = !isEmpty
        for index in indices {
            let byte = self[index]
            let isPunctuation =
                byte == UInt8(ascii: "_") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "#")
            // `-./0123456789:` and `@ABC…Z` stand together in ASCII.
            let isPlain =
                byte &- 0x2D < 14 || byte &- 0x40 < 27 || byte &- 0x61 < 26 || isPunctuation
            areAll = areAll && isPlain
        }
        return areAll
    }
}

extension OutputSpan<UInt8> {
    /// Appends in bulk; there must be room.
    fileprivate mutating func append(_ bytes: Span<UInt8>) {
        withUnsafeMutableBufferPointer { room, count in
            count = bytes.withUnsafeBufferPointer { room[count...].update(fromContentsOf: $0) }
        }
    }
}
