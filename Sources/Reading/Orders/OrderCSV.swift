import Payments

/// An order as a line of CSV (RFC 4180).
enum OrderCSV {
    static let header =
        "endpoint,reference,status,amount,currency,minor,refundedMinor,flags,transaction,"
        + "created,updated,expectedMinor,expectedCurrency,expires,first,last,"
        + "authorizedMinor,capturedMinor,reasonCode,reasonMessage"

    static func line(_ order: IndexedOrder) -> String {
        let fields: [String?] = [
            order.endpoint, order.reference, order.status, order.amount?.decimal,
            order.amount?.currency.code ?? order.refunded?.currency.code,
            order.amount.map { "\($0.minor)" }, order.refunded.map { "\($0.minor)" },
            order.flags.joined(separator: " "), order.transaction, order.created.rfc3339,
            order.updated.rfc3339, order.expected.map { "\($0.minor)" },
            order.expected?.currency.code, order.expires?.rfc3339, "\(order.first)",
            "\(order.last)", order.authorized.map { "\($0.minor)" },
            order.captured.map { "\($0.minor)" }, order.reason?.code, order.reason?.message,
        ]
        return fields.map { quoted($0 ?? "") }.joined(separator: ",")
    }

    /// Quoted where it must be.
    static func quoted(_ field: String) -> String {
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
