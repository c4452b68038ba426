import Payments

/// What the merchant registers, decided as notifications are.
extension PendingBatch {
    /// What a registration means, given everything before it.
    ///
    /// | registered before | decision |
    /// |---|---|
    /// | nothing | a record |
    /// | the same | the record that holds it |
    /// | something else | refused: the first stands, for payments may have been compared with it |
    mutating func decide(
        _ registration: Registration, endpoint: UInt16, sequence: UInt64,
        in tables: borrowing StoreTables
    ) -> RegistrationDecision {
        let mark = mark(
            registration.registered, endpoint, registration.reference, sequence: sequence)
        guard let known = event(mark.key, in: tables) else {
            return .record(
                register(
                    registration.registered, reference: registration.reference, endpoint: endpoint,
                    sequence: sequence, in: tables))
        }
        let notification = registration.notification
        let place = place(
            of: notification, keys.hashes(of: notification, endpoint), in: tables)
        let isSame =
            known.fingerprint == mark.entry.fingerprint
            && place.order.blob.order.expected == registration.expectation
        return isSame ? .same(as: known.sequence) : .differs(from: known.sequence)
    }

    /// The order as it is once the merchant's word counts. `isDescribed` is false in replay, where
    /// nobody reads what the order became.
    mutating func register(
        _ registered: RegisteredExpectation, reference: String, endpoint: UInt16,
        sequence: UInt64, in tables: borrowing StoreTables, isDescribed: Bool = true
    ) -> EventChange {
        let event = Notification.expectation(reference)
        var place = place(of: event, keys.hashes(of: event, endpoint), in: tables)
        place.order.blob.order = place.order.blob.order
            .registering(registered.expectation, reference: reference)
        place.order.blob.add(sequence)
        place.settle(keys, endpoint: endpoint, added: event)
        var change = EventChange(
            .recorded, mark(registered, endpoint, reference, sequence: sequence))
        if isDescribed { change.describe(place, after: event) }
        change.place = consume place
        return change
    }

    private mutating func mark(
        _ registered: RegisteredExpectation, _ endpoint: UInt16, _ reference: String,
        sequence: UInt64
    ) -> EventMark {
        EventMark(
            key: keys.expectation(endpoint, reference),
            content: keys.function.hash(registered.contentBytes.span), sequence: sequence)
    }
}

/// What the store makes of a registration.
enum RegistrationDecision: ~Copyable {
    case record(EventChange)
    case same(as: UInt64)
    case differs(from: UInt64)
}
