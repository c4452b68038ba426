package enum SenderError: Error, Sendable, Equatable {
    /// This system sends nothing for such an event.
    case unsupported(EventType)
    /// The amount does not fit the form in which this system writes amounts.
    case unrepresentableAmount
    /// The cryptographic library refused to sign.
    case signingFailed
}
