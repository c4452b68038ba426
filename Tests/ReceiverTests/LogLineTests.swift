import Bytes
import JSON
import Payments
import Testing

@testable import Receiver

/// Text from outside can neither start a line of the log nor look like a field.
@Suite struct LogLineTests {
    private let time = Timestamp(microseconds: 1_500_000)

    @Test func `a value with spaces or line ends is quoted`() {
        var line = LogLine(.text, level: "info", message: "refused", time: time)
        line.field("order", "A\nforged line=1 \"x\"")
        let text = String(decoding: line.finished(), as: UTF8.self)
        #expect(text.hasSuffix(" info refused order=\"A\\nforged line=1 \\\"x\\\"\"\n"))
        #expect(text.filter { $0 == "\n" }.count == 1)
    }

    /// A terminal treats U+009B as ESC `[`, and a viewer U+2028 as the end of a line.
    @Test(
        arguments: [LogFormat.text, .json],
        [
            "\u{9B}2J", "a\u{2028}b", "a\u{2029}b", "\u{202E}x", "\u{2066}x", "\u{85}", "\u{7F}",
            "\u{1B}[2J", "\u{200F}x", "\u{61C}x",
        ])
    func `nothing steers whoever reads`(_ format: LogFormat, _ value: String) throws {
        var line = LogLine(format, level: "info", message: "m\(value)", time: time)
        line.field("order", value)
        let text = String(decoding: line.finished(), as: UTF8.self)
        let steering = text.unicodeScalars.filter { $0.value != 0x0A && $0.steersOutput }
        #expect(steering.isEmpty)
        guard format == .json else { return }
        let root = try JSONDocument(parsing: Array(text.dropLast().utf8)).root
        #expect(root["order"]?.string == value && root["message"]?.string == "m\(value)")
    }

    @Test(arguments: ["a b", "a\nb", "a=b", "a\"b", "a\tb", "ä"])
    func `anything but plain characters is quoted`(_ value: String) {
        var line = LogLine(.text, level: "info", message: "m", time: time)
        line.field("order", value)
        let text = String(decoding: line.finished(), as: UTF8.self)
        #expect(text.contains(" order=\"") && text.hasSuffix("\"\n"))
    }

    @Test func `a plain value is not quoted`() {
        var line = LogLine(.text, level: "info", message: "notification", time: time)
        line.field("order", "REQ-1_a.b:c/d+e@f#g")
        line.field("sequence", 42)
        line.field("reason", nil)
        let text = String(decoding: line.finished(), as: UTF8.self)
        #expect(text.hasSuffix(" info notification order=REQ-1_a.b:c/d+e@f#g sequence=42\n"))
    }

    @Test func `only these ASCII characters need no quotes`() {
        let plain = Set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:/+@#".utf8)
        for byte in UInt8.min..<0x80 {
            // Long enough for the vectorised loop, and at different offsets.
            for before in [0, 7, 20] {
                let value = String(
                    decoding: [UInt8](repeating: 0x61, count: before) + [byte, 0x62],
                    as: UTF8.self)
                var line = LogLine(.text, level: "info", message: "m", time: time)
                line.field("order", value)
                let text = String(decoding: line.finished(), as: UTF8.self)
                #expect(text.hasSuffix(" order=\(value)\n") == plain.contains(byte))
            }
        }
    }

    @Test func `the time is the one that is passed in`() {
        var line = LogLine(.text, level: "info", message: "m", time: time)
        let text = String(decoding: line.finished(), as: UTF8.self)
        #expect(text == "1970-01-01T00:00:01.500000Z info m\n")
    }

    @Test func `an empty value is visible`() {
        var line = LogLine(.text, level: "info", message: "m", time: time)
        line.field("order", "")
        #expect(String(decoding: line.finished(), as: UTF8.self).hasSuffix(" order=\"\"\n"))
    }

    @Test func `JSON lines parse`() throws {
        var line = LogLine(.json, level: "warning", message: "refused", time: time)
        line.field("detail", "a \"b\"\n\u{1}")
        line.field("micros", 7)
        let document = try JSONDocument(parsing: Array(line.finished().dropLast()))
        #expect(document.root["level"]?.string == "warning")
        #expect(document.root["detail"]?.string == "a \"b\"\n\u{1}")
        #expect(document.root["micros"]?.int64 == 7)
    }
}
