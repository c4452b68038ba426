import JSON
import Payments

/// What a record of the journal says of its event, without the request.
package struct RecordedEvent: Sendable, Equatable {
    package var sequence: UInt64
    package var received: Timestamp
    package var endpoint: String
    package var provider: String
    /// Which of the endpoint's keys verified it.
    package var key: String
    package var outcome: RecordOutcome
    /// The record of the first event of this identity, when this one has other content.
    package var conflictsWith: UInt64?
    /// The record whose notification is from now on read as this one's, in a record of the kind
    /// `correction`.
    package var corrects: UInt64?
    package var notification: Notification
    /// What the merchant registered, in a record of the kind `expectation`: it came from no
    /// provider and has no request.
    package var registered: RegisteredExpectation?

    /// Whether the provider was asked for it: then the record keeps both sides of the inquiry.
    package var isInquiry = false

    /// What a person did, in a record of the kind `action`; nil where a later program knows what
    /// that was and this one does not.
    package var action: RecordedAction?
    /// Whether a person did it: then there is no request either.
    package var isAct = false

    /// Whether a provider sent it; then the record keeps the request.
    package var hasRequest: Bool {
        registered == nil && corrects == nil && !isInquiry && !isAct
    }
}

/// The `expectation` member of a record's event: what the merchant registered, with what it wants
/// to find again.
package struct RegisteredExpectation: Sendable, Equatable {
    package var expectation: Expectation
    /// A JSON object as the record holds it; empty when there is none.
    package var metadata: [UInt8]

    package init(expectation: Expectation, metadata: [UInt8]) {
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

    /// The member's value: also what must be the same when it is registered again.
    package var contentBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.write(atMost: 256) { writer in
            writer.amount(#"{"amount":"#, expectation.amount)
            if let expires = expectation.expires {
                writer.fragment(#","expires":"#)
                writer.moment(expires)
            }
            if !metadata.isEmpty { writer.fragment(#","metadata":"#) }
        }
        bytes += metadata
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}

extension Notification {
    /// The event of a record that holds what the merchant registered for `reference`. It has no
    /// effect of its own: the expectation is one.
    package static func expectation(_ reference: String) -> Notification {
        Notification(
            id: "expectation:\(reference)", kind: "expectation", status: "registered",
            reference: reference)
    }
}
