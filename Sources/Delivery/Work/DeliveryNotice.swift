/// An event of a destination for the operator's log: one for each cause, not one for each event
/// that is delivered.
package enum DeliveryNotice: Sendable, Equatable {
    /// An attempt failed, and none had failed since everything was delivered.
    case failing(reason: String)
    /// Everything that had failed is delivered or given up, after this number of failed attempts.
    case recovered(failures: Int)
    case breakerOpened(reason: String)
    case breakerClosed
    /// The destination answered 410.
    case gone
    /// The attempts of an event are used up.
    case dead(sequence: UInt64, endpoint: String, reference: String, reason: String)
    /// Retention deleted records before they were delivered.
    case gap(ClosedRange<UInt64>)
    /// The state belonged to another store and was reset.
    case restarted(formerStore: String)
    /// The store ends before the position: its end was lost.
    case positionAhead(position: UInt64, last: UInt64)
    case unreadable(String)
    case stateFailed(String)
    /// A new destination begins after this record.
    case began(after: UInt64)
    case leaseTaken
    case leaseLost

    /// Whether it needs attention.
    package var isWarning: Bool {
        switch self {
        case .breakerClosed, .began, .leaseTaken, .recovered: false
        default: true
        }
    }

    package var sentence: String {
        switch self {
        case .failing(let reason):
            "an attempt failed (\(reason)): it is tried again, and further failures are not logged"
        case .recovered(let failures):
            "everything that had failed is delivered or given up, after \(failures) failed "
                + (failures == 1 ? "attempt" : "attempts")
        case .breakerOpened(let reason):
            "every attempt fails (\(reason)): paused, and probed from time to time"
        case .breakerClosed: "answers again"
        case .gone: "answered 410: paused until `ipnd deliveries resume`"
        case .dead(let sequence, let endpoint, let reference, let reason):
            "event \(sequence) of order \(endpoint)/\(reference) is a dead letter (\(reason)): "
                + "the order's later events wait for `ipnd deliveries retry`"
        case .gap(let range):
            "records \(range.lowerBound) to \(range.upperBound) were deleted by retention before "
                + "they were delivered"
        case .restarted(let store):
            "the delivery state belongs to the store \(store): delivery starts again"
        case .positionAhead(let position, let last):
            "delivered up to \(position), but the store ends with \(last): continuing from there"
        case .unreadable(let reason): "the store's records cannot be read: \(reason)"
        case .stateFailed(let reason):
            "the delivery state cannot be used, events may be delivered again: \(reason)"
        case .began(let last):
            "new: begins after record \(last); the \(last) older records are not delivered to it"
        case .leaseTaken: "this instance delivers to it"
        case .leaseLost:
            "this instance delivers to it no longer: its lease expired or another instance took it"
        }
    }
}
