/// What the dedup index says of a notification.
enum EventDecision: ~Copyable {
    /// Known, with the same content: nothing to write.
    case duplicate(of: UInt64)
    /// To be recorded.
    case record(EventChange)
}
