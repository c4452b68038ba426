import Payments

extension Notification {
    /// A genuine notification that these rules cannot read: recorded raw, acknowledged, and without
    /// any effect, because sending it again would not make it clearer.
    ///
    /// - Parameter signed: The bytes that were signed; they are its identity.
    static func notUnderstood(
        kind: String = "unknown", status: String = "not_understood", reference: String? = nil,
        transaction: String? = nil, signed: [UInt8], flags: [Flag] = [.notUnderstood]
    ) -> Notification {
        Notification(
            id: EventIdentity.text(kind, status, EventIdentity.digest(of: signed)), kind: kind,
            status: status, reference: reference, transaction: transaction, flags: flags)
    }
}
