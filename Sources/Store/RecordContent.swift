import Payments

/// Everything that a record says beside what the submission brought.
struct RecordContent: Sendable, Equatable {
    var sequence: UInt64
    var outcome: RecordOutcome
    /// The record that holds the first event of this identity, when this one is the same with other content.
    var conflictsWith: UInt64?
    /// The order's flags and the notification's, in the order in which `Flag` declares them.
    var flags: [Flag]
    /// Nil for what is about no order.
    var order: OrderChange?
}
