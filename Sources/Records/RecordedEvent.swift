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

    /// Whether a provider sent it; then the record keeps the request.
    package var hasRequest: Bool { registered == nil && corrects == nil }
}
