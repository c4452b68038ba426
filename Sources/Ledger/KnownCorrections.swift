import Payments
import Records

/// The corrections among records that are replayed. Facts cannot be removed from an order, so a
/// corrected record is applied as corrected from the start.
package struct KnownCorrections: Sendable {
    /// The notification that replaces a record's, by the record's sequence.
    private let notifications: [UInt64: Notification]
    /// Corrections that were met and are not among the known ones. The records that they correct
    /// have been applied as they were, so everything has to be replayed again.
    package private(set) var lateCorrections: [UInt64: Notification] = [:]

    package init(_ notifications: [UInt64: Notification] = [:]) {
        self.notifications = notifications
    }

    package var isEmpty: Bool { notifications.isEmpty }

    /// Returns the events to apply for a record: one, or two where it was corrected.
    package mutating func events(
        of record: RecordedEvent
    ) -> (first: RecordedEvent, second: RecordedEvent?) {
        var event = record
        if let corrected = event.corrects {
            if let newest = notifications[corrected] {
                // The newest correction of a record counts; this one may be older.
                event.notification = newest
            } else {
                lateCorrections[corrected] = event.notification
            }
            event.outcome = event.notification.effect == .none ? .ignored : .recorded
        }
        guard let correction = notifications[event.sequence] else { return (event, nil) }
        // Its old identity stays known, so that a retry of it is still a duplicate.
        var identity = event
        identity.outcome = .ignored
        // Under another identity it no longer contradicts that event.
        if !correction.id.isExactly(event.notification.id) { event.conflictsWith = nil }
        event.notification = correction
        event.outcome = correction.effect == .none ? .ignored : .recorded
        return (identity, event)
    }
}
