import Payments

extension Notification {
    /// A genuine notification that these rules cannot read: recorded raw, acknowledged, and without
    /// any effect, because sending it again would not make it clearer. Where it names an order about
    /// whose money it says something, `effect` is ``Effect/doubt``, which puts that order into
    /// `review`.
    ///
    /// - Parameter signed: The bytes that were signed; they are its identity.
    static func notUnderstood(
        kind: String = "unknown", status: String = "not_understood", reference: String? = nil,
        transaction: String? = nil, effect: Effect = .none, signed: [UInt8],
        flags: [Flag] = [.notUnderstood]
    ) -> Notification {
        Notification(
            id: EventIdentity.text(kind, status, EventIdentity.digest(of: signed)), kind: kind,
            status: status, reference: reference, transaction: transaction,
            effect: reference == nil && transaction == nil ? .none : effect, flags: flags)
    }
}
