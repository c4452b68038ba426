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

    package init(_ format: LogFormat, level: String, message: String) {
        self.format = format
        writer = JSONWriter(reserving: 384)
        let time = Timestamp(microseconds: WallClock.microseconds())
        switch format {
        case .text:
            time.appendRFC3339(to: &writer.bytes)
            append(UInt8(ascii: " "))
            append(level)
            append(UInt8(ascii: " "))
            appendPrintable(message)
        case .json:
            writer.beginObject()
            writer.key("time")
            writer.string(time.rfc3339)
            writer.key("level")
            writer.string(level)
            writer.key("message")
            writer.string(message)
        }
    }

    package mutating func field(_ name: String, _ value: String?) {
        guard let value else { return }
        switch format {
        case .text:
            append(UInt8(ascii: " "))
            append(name)
            append(UInt8(ascii: "="))
            if !appendPlain(value) {
                writer.restart()
                writer.string(value)
            }
        case .json:
            writer.key(name)
            writer.string(value)
        }
    }

    package mutating func field(_ name: String, _ value: some BinaryInteger) {
        switch format {
        case .text:
            append(UInt8(ascii: " "))
            append(name)
            append(UInt8(ascii: "="))
            writer.restart()
        case .json:
            writer.key(name)
        }
        guard let small = Int64(exactly: value) else { return writer.integer(value) }
        writer.integer(small)
    }

    /// The finished line with its newline.
    package consuming func finished() -> [UInt8] {
        if format == .json { writer.endObject() }
        writer.bytes.append(UInt8(ascii: "\n"))
        return writer.takeBytes()
    }

    private mutating func append(_ byte: UInt8) { writer.bytes.append(byte) }

    private mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { writer.bytes.append(contentsOf: $0) }
    }

    private mutating func appendPrintable(_ text: String) {
        for byte in text.utf8 { writer.bytes.append(byte < 0x20 || byte == 0x7F ? 0x20 : byte) }
    }

    /// Appends a value that needs no quotes; false when it does.
    private mutating func appendPlain(_ value: String) -> Bool {
        var value = value
        return value.withUTF8 { bytes in
            guard !bytes.isEmpty, bytes.allSatisfy(Self.isPlain) else { return false }
            writer.bytes.append(contentsOf: bytes)
            return true
        }
    }

    /// Letters, digits and the punctuation of ids, paths and addresses.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"),
            UInt8(ascii: "/"), UInt8(ascii: "+"), UInt8(ascii: "@"), UInt8(ascii: "#"):
            true
        default: false
        }
    }
}
