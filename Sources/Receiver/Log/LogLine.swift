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
    private var bytes: [UInt8]
    private let format: LogFormat

    package init(_ format: LogFormat, level: String, message: String) {
        self.format = format
        let time = Timestamp(microseconds: WallClock.microseconds()).rfc3339
        writer = JSONWriter()
        bytes = []
        switch format {
        case .text:
            bytes.append(contentsOf: time.utf8)
            bytes.append(contentsOf: " \(level) ".utf8)
            appendPrintable(message)
        case .json:
            writer.beginObject()
            writer.key("time")
            writer.string(time)
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
            bytes.append(contentsOf: " \(name)=".utf8)
            if !value.isEmpty, value.utf8.allSatisfy(Self.isPlain) {
                bytes.append(contentsOf: value.utf8)
            } else {
                var quoted = JSONWriter()
                quoted.string(value)
                bytes.append(contentsOf: quoted.bytes)
            }
        case .json:
            writer.key(name)
            writer.string(value)
        }
    }

    package mutating func field(_ name: String, _ value: some BinaryInteger) {
        switch format {
        case .text: bytes.append(contentsOf: " \(name)=\(value)".utf8)
        case .json:
            writer.key(name)
            writer.integer(value)
        }
    }

    /// The finished line with its newline.
    package consuming func finished() -> [UInt8] {
        switch format {
        case .text: break
        case .json:
            writer.endObject()
            bytes = writer.bytes
        }
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    private mutating func appendPrintable(_ text: String) {
        for byte in text.utf8 { bytes.append(byte < 0x20 || byte == 0x7F ? 0x20 : byte) }
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
