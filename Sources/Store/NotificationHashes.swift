/// Everything that the tables are asked about a notification, hashed. Made for many notifications
/// before the first of them is decided: see `StoreTables.touch(_:)`.
struct NotificationHashes {
    /// The endpoint's number.
    var endpoint: UInt16
    /// What the event says.
    var content: KeyHash
    var event: KeyHash
    var reference: KeyHash?
    var transaction: KeyHash?
}
