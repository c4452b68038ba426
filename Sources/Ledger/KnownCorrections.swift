import Payments
import Records

/// The corrections among records that are read again. Facts cannot be taken back out of an order,
/// so a corrected record is taken in as corrected from the first.
package struct KnownCorrections: Sendable {
    /// What each corrected record says from now on, by its sequence.
    private let notifications: [UInt64: Notification]
    /// The corrections that were met and are not among the known ones: the records that they
    /// correct have been taken in as they were. Everything has to be read once more.
    package private(set) var latecomers: [UInt64: Notification] = [:]

    package init(_ notifications: [UInt64: Notification] = [:]) {
        self.notifications = notifications
    }

    package var isEmpty: Bool { notifications.isEmpty }

    /// What a record counts as: one event, or two where it was corrected.
    package mutating func events(
        of record: RecordedEvent
    ) -> (first: RecordedEvent, second: RecordedEvent?) {
        var event = record
        if let corrected = event.corrects {
            if let newest = notifications[corrected] {
                // One that a later one corrects once more says nothing any more.
                event.notification = newest
            } else {
                latecomers[corrected] = event.notification
            }
            event.outcome = event.notification.effect == .none ? .ignored : .recorded
        }
        guard let correction = notifications[event.sequence] else { return (event, nil) }
        // Its old identity stays known, so that a retry of it is a repetition still.
        var identity = event
        identity.outcome = .ignored
        // Under an identity of its own it contradicts nothing any more.
        if !correction.id.isExactly(event.notification.id) { event.conflictsWith = nil }
        event.notification = correction
        event.outcome = correction.effect == .none ? .ignored : .recorded
        return (identity, event)
    }
}
