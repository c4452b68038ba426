import JSON
import Payments

/// The `expectation` member of a record's event: what the merchant registered, with what it wants
/// to find again.
package struct RegisteredExpectation: Sendable, Equatable {
    package var expectation: Expectation
    /// A JSON object as the record holds it; empty when there is none.
    package var metadata: [UInt8]

    init(expectation: Expectation, metadata: [UInt8]) {
        self.expectation = expectation
        self.metadata = metadata
    }

    /// Reads the member. Throws `syntax` where something that must be there is missing.
    init(from scanner: inout JSONScanner) throws(JSONError) {
        let start = scanner.offset
        var minor: Int64?
        var currency: Currency?
        var expires: Timestamp?
        metadata = []
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "amount":
                try scanner.beginObject()
                while let part = try scanner.nextKey() {
                    switch part {
                    case "minor": minor = try scanner.int64()
                    case "currency": currency = Currency(try scanner.string())
                    default: try scanner.skipValue()
                    }
                }
            case "expires": expires = Timestamp(iso8601: try scanner.string())
            case "metadata": metadata = scanner.bytes(in: try scanner.skipValue())
            default: try scanner.skipValue()
            }
        }
        guard let minor, let currency else { throw .syntax(start) }
        expectation = Expectation(
            amount: Money(minor: minor, currency: currency), expires: expires)
    }

    /// Appends the member's value.
    func write(to writer: inout JSONWriter) {
        writer.amount(#"{"amount":"#, expectation.amount)
        writer.text(#","expires":"#, expectation.expires?.rfc3339)
        if !metadata.isEmpty {
            writer.fragment(#","metadata":"#)
            writer.raw(metadata[...])
        }
        writer.fragment("}")
    }

    /// What must be the same when it is registered again.
    var contentBytes: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }
}
