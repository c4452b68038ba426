import Bytes
import Payments
import Store

/// An order as a line of CSV (RFC 4180).
///
/// The customer may choose a reference or an id, and a bank the reason. Spreadsheets evaluate a
/// cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return as a formula, quoted or
/// not. An apostrophe before it makes it text (OWASP, "CSV injection").
package enum OrderCSV {
    static let header =
        "endpoint,reference,status,amount,currency,minor,refundedMinor,flags,transaction,"
        + "created,updated,expectedMinor,expectedCurrency,expires,first,last,"
        + "authorizedMinor,capturedMinor,reasonCode,reasonMessage,"
        + "refunded,expected,authorized,captured,method,agreement"

    static func line(_ order: ListedOrder) -> String {
        let fields: [String?] = [
            order.endpoint, order.reference.map(text), order.status, order.amount?.decimal,
            order.amount?.currency.code ?? order.refunded?.currency.code,
            order.amount.map { "\($0.minor)" }, order.refunded.map { "\($0.minor)" },
            order.flags.joined(separator: " "), order.transaction.map(text),
            order.created.rfc3339,
            order.updated.rfc3339, order.expected.map { "\($0.minor)" },
            order.expected?.currency.code, order.expires?.rfc3339, "\(order.first)",
            "\(order.last)", order.authorized.map { "\($0.minor)" },
            order.captured.map { "\($0.minor)" }, (order.reason?.code).map(text),
            (order.reason?.message).map(text), order.refunded?.decimal,
            order.expected?.decimal, order.authorized?.decimal, order.captured?.decimal,
            order.method.map(text), order.agreement.map(text),
        ]
        return fields.map { quoted($0 ?? "") }.joined(separator: ",")
    }

    /// Text from outside, changed so that no spreadsheet evaluates it as a formula. Numbers are
    /// ipnd's own and need no change.
    ///
    /// Where a comma is the decimal sign, spreadsheets split a line at `;`, even in a field that is
    /// quoted because of its commas. So the text after a `;` is the beginning of a cell too.
    package static func text(_ field: String) -> String {
        let shown = field.withoutSteering(
            replacement: "\u{FFFD}", keeping: ["\t", "\r", "\n"])
        var text = String.UnicodeScalarView()
        var isAtStart = true
        for scalar in shown.unicodeScalars {
            if isAtStart, formulaMarks.contains(scalar) { text.append("'") }
            text.append(scalar)
            // Some spreadsheets remove spaces and quotes before a cell's text.
            let isSkipped = scalar == " " || scalar == "\""
            isAtStart = separators.contains(scalar) || (isAtStart && isSkipped && text.count > 1)
        }
        return String(text)
    }

    /// Characters other than a comma at which spreadsheets may split or end a line.
    private static let separators: Set<Unicode.Scalar> = [";", "\t", "\r", "\n"]

    /// The last four are full-width forms, which spreadsheets of some languages treat alike.
    private static let formulaMarks: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ]

    /// The field in quotes where RFC 4180 requires them.
    package static func quoted(_ field: String) -> String {
        guard field.utf8.contains(where: Self.needsQuotes) else { return field }
        var quoted = "\""
        for character in field.unicodeScalars {
            if character == "\"" { quoted += "\"" }
            quoted.unicodeScalars.append(character)
        }
        return quoted + "\""
    }

    private static func needsQuotes(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: ","), 0x0A, 0x0D: true
        default: false
        }
    }
}
