/// What a record says of its notification. Duplicates are counted, not written.
package enum RecordOutcome: String, Sendable {
    /// New; it changed or confirmed its order.
    case recorded
    /// Same identity with other content, or an amount that contradicts what the merchant registered.
    case conflict
    /// Genuine, but about no order.
    case ignored
}
