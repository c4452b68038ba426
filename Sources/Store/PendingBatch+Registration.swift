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
        let key = keys.expectation(endpoint, registration.reference)
        guard let known = find(key, in: tables) else {
            return .record(
                register(
                    registration.registered, reference: registration.reference, endpoint: endpoint,
                    sequence: sequence, in: tables))
        }
        let place = resolve(registration.notification, endpoint: endpoint, in: tables)
        let isSame =
            known.fingerprint == fingerprint(of: registration.registered)
            && place.order.blob.order.expected == registration.expectation
        return isSame ? .same(as: known.sequence) : .differs(from: known.sequence)
    }

    /// The order as it is once the merchant's word counts.
    mutating func register(
        _ registered: RegisteredExpectation, reference: String, endpoint: UInt16,
        sequence: UInt64, in tables: borrowing StoreTables
    ) -> EventChange {
        let event = Notification.expectation(reference)
        var place = resolve(event, endpoint: endpoint, in: tables)
        let previous = place.isNew ? nil : place.order.blob.order.status
        place.order.blob.order = place.order.blob.order.registering(registered.expectation)
        place.order.blob.add(sequence)
        let entry = DedupTable.Entry(sequence: sequence, fingerprint: fingerprint(of: registered))
        return change(
            .recorded, event, place, previous: previous, summary: place.order.blob.order.summary,
            key: keys.expectation(endpoint, reference), entry: entry)
    }

    private func fingerprint(of registered: RegisteredExpectation) -> UInt32 {
        let hash = keys.function.hash(registered.contentBytes.span)
        return UInt32(truncatingIfNeeded: hash.low) & DedupTable.fingerprintMask
    }
}

/// What the store makes of a registration.
enum RegistrationDecision {
    case record(EventChange)
    case same(as: UInt64)
    case differs(from: UInt64)
}
