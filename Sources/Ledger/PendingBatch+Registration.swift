import Payments
import Records

/// What the merchant registers, decided as notifications are.
extension PendingBatch {
    /// What a registration means, given everything before it.
    ///
    /// | registered before | decision |
    /// |---|---|
    /// | nothing | a record |
    /// | the same | the record that holds it |
    /// | something else | refused: the first stands, for payments may have been compared with it |
    package mutating func decide(
        _ registered: RegisteredExpectation, reference: String, endpoint: UInt16,
        sequence: UInt64, in memory: borrowing some LedgerMemory
    ) -> RegistrationDecision {
        let mark = mark(registered, endpoint, reference, sequence: sequence)
        guard let known = event(mark.key, in: memory) else {
            return .record(
                register(
                    registered, reference: reference, endpoint: endpoint, sequence: sequence,
                    in: memory))
        }
        let notification = Notification.expectation(reference)
        let place = place(
            of: notification, keys.hashes(of: notification, endpoint), in: memory)
        let isSame =
            known.fingerprint == mark.known.fingerprint
            && place.order.expected == registered.expectation
        return isSame ? .same(as: known.sequence) : .differs(from: known.sequence)
    }

    /// The order as it is once the merchant's word counts. `isDescribed` is false in replay, where
    /// nobody reads what the order became.
    mutating func register(
        _ registered: RegisteredExpectation, reference: String, endpoint: UInt16,
        sequence: UInt64, in memory: borrowing some LedgerMemory, isDescribed: Bool = true
    ) -> EventChange {
        let event = Notification.expectation(reference)
        var place = place(of: event, keys.hashes(of: event, endpoint), in: memory)
        place.order = place.order
            .registering(registered.expectation, reference: reference)
        place.stored.add(sequence)
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
