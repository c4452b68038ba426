import Bytes
import JSON
import Payments
import Platform

/// The format of log lines.
package enum LogFormat: String, Sendable, CaseIterable {
    /// `2026-11-21T07:00:00.123456Z info received endpoint=shop …`
    case text
    /// One JSON object per line.
    case json
}

/// Composes one log line. Text from outside is quoted, so that it can neither start a new line nor
/// look like a field.
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
            writer.member("time", time.rfc3339)
            writer.member("level", level)
            writer.key("message")
            writer.string(visible: message.utf8.span)
        }
    }

    /// Adds a field whose name is a literal.
    package mutating func field(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        name.withUTF8Buffer { field($0.span, value.utf8.span) }
    }

    /// Adds a field. Disfavoured, because Swift would otherwise prefer it for a literal.
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

    /// Returns the finished line with its newline, and leaves this value empty.
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

    /// Appends ` name=value` with one check of the capacity.
    private mutating func append(_ name: Span<UInt8>, plain value: Span<UInt8>) {
        writer.bytes.append(addingCapacity: name.count + value.count + 2) { output in
            output.append(UInt8(ascii: " "))
            output.append(name)
            output.append(UInt8(ascii: "="))
            output.append(value)
        }
    }

    /// Appends the name and the separator before the value.
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
    /// Whether there are only letters, digits and the punctuation of ids, paths and addresses, so
    /// that no quotes are needed.
    fileprivate var isPlain: Bool {
        // A loop without an early exit is vectorised: sixteen bytes at a time.
        var areAll = !isEmpty
        for index in indices {
            let byte = self[index]
            let isPunctuation =
                byte == UInt8(ascii: "_") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "#")
            // `-./0123456789:` and `@ABC…Z` are contiguous in ASCII.
            let isPlain =
                byte &- 0x2D < 14 || byte &- 0x40 < 27 || byte &- 0x61 < 26 || isPunctuation
            areAll = areAll && isPlain
        }
        return areAll
    }
}

extension OutputSpan<UInt8> {
    /// Appends in bulk. The span must have the capacity.
    fileprivate mutating func append(_ bytes: Span<UInt8>) {
        withUnsafeMutableBufferPointer { room, count in
            count = bytes.withUnsafeBufferPointer { room[count...].update(fromContentsOf: $0) }
        }
    }
}
