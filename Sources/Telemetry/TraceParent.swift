import Bytes

/// The place of a span in a trace, as the header `traceparent` carries it
/// (W3C Trace Context, www.w3.org/TR/trace-context).
///
/// ```swift
/// TraceParent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")?.isSampled  // true
/// ```
package struct TraceParent: Sendable, Hashable {
    /// The id of the trace: 16 bytes as two numbers, not both zero.
    package let trace: (high: UInt64, low: UInt64)
    /// The id of the span; not zero.
    package let span: UInt64
    /// Whether the caller recorded the trace. One that it did not is not recorded here either.
    package let isSampled: Bool

    package init(trace: (high: UInt64, low: UInt64), span: UInt64, isSampled: Bool) {
        self.trace = trace
        self.span = span
        self.isSampled = isSampled
    }

    /// Reads a header's value; nil where it is not valid, so that a new trace begins (§3.2.2).
    ///
    /// A version that is not known may have more fields after a hyphen.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 55, let version = Self.number(bytes[0..<2]), version != 0xFF,
            bytes.count == 55 || (version > 0 && bytes[55] == UInt8(ascii: "-")),
            [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
            let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]),
            let span = Self.number(bytes[36..<52]), let flags = Self.number(bytes[53..<55]),
            high != 0 || low != 0, span != 0
        else { return nil }
        self.init(trace: (high, low), span: span, isSampled: flags & 1 == 1)
    }

    /// The header's value, in version 00.
    package var text: String { "00-\(traceID)-\(spanID)-0\(isSampled ? 1 : 0)" }

    /// The trace's id in 32 hex digits.
    package var traceID: String { Self.hex(trace.high) + Self.hex(trace.low) }

    /// The span's id in 16 hex digits.
    package var spanID: String { Self.hex(span) }

    package static func == (left: TraceParent, right: TraceParent) -> Bool {
        left.trace == right.trace && left.span == right.span && left.isSampled == right.isSampled
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(trace.high)
        hasher.combine(trace.low)
        hasher.combine(span)
    }

    /// Sixteen digits, in small letters.
    static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The number that hex digits write, which must be in small letters (§3.2.2.1).
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }
}
