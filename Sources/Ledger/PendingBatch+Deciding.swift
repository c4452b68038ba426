import Payments
import Records

/// The dedup rules and what an event does to its order.
///
/// | identity | content | outcome |
/// |---|---|---|
/// | new | names an order | `recorded`; `conflict` when its amount contradicts the merchant's |
/// | new | about no order | `ignored` |
/// | known | the same | duplicate of the first |
/// | known | other, for the first time | `conflict`: both claims count as claims |
/// | known | other, seen before | duplicate of that conflict |
///
/// An answer to an inquiry is a `conflict`, too, when the order's facts contradict each other
/// since: what a notification has reported is kept.
extension PendingBatch {
    /// Decides on a notification, given everything before it.
    package mutating func decide(
        _ notification: Notification, _ hashes: NotificationHashes, sequence: UInt64,
        in memory: borrowing some LedgerMemory
    ) -> EventDecision {
        let event = EventMark(key: hashes.event, content: hashes.content, sequence: sequence)
        guard let known = self.event(event.key, in: memory) else {
            return .record(decideNew(notification, hashes, event, in: memory))
        }
        if known.fingerprint == event.known.fingerprint {
            return .duplicate(of: known.sequence)
        }
        let other = EventMark(
            key: keys.conflict(
                hashes.endpoint, id: notification.id, reference: notification.reference,
                content: hashes.content),
            content: hashes.content, sequence: sequence)
        if let repeated = self.event(other.key, in: memory) {
            return .duplicate(of: repeated.sequence)
        }
        return .record(conflict(notification, hashes, other, with: known.sequence, in: memory))
    }

    /// Returns the change of a stored record. Duplicates are never recorded, so its outcome is
    /// applied. Applied twice, it changes nothing.
    package mutating func decide(
        _ record: RecordedEvent, _ hashes: NotificationHashes,
        in memory: borrowing some LedgerMemory
    ) -> EventChange {
        let endpoint = hashes.endpoint
        if let registered = record.registered, let reference = record.notification.reference {
            return register(
                registered, reference: reference, endpoint: endpoint, sequence: record.sequence,
                in: memory, isDescribed: false)
        }
        if let action = record.action {
            return apply(action, endpoint: endpoint, sequence: record.sequence, in: memory)
        }
        // An event that contradicts or replaces another is remembered by its content: the identity
        // alone stays the other's, a retry of which is still a duplicate.
        let isOther = record.conflictsWith != nil || record.corrects != nil
        let event = EventMark(
            key: isOther
                ? keys.conflict(
                    endpoint, id: record.notification.id,
                    reference: record.notification.reference, content: hashes.content)
                : hashes.event, content: hashes.content, sequence: record.sequence)
        if record.outcome == .ignored { return EventChange(.ignored, event) }
        if let original = record.conflictsWith {
            return conflict(
                record.notification, hashes, event, with: original, in: memory,
                isDescribed: false)
        }
        return apply(record.notification, hashes, event, in: memory, isDescribed: false)
    }

    private mutating func decideNew(
        _ notification: Notification, _ hashes: NotificationHashes, _ event: EventMark,
        in memory: borrowing some LedgerMemory
    ) -> EventChange {
        if case .none = notification.effect {
            return EventChange(.ignored, event, flags: notification.flags)
        }
        guard notification.namesOrder else {
            // It would change an order, but names none: recorded for people to see.
            let flags = FlagSet(notification.flags + [.unjoined])
            return EventChange(.ignored, event, flags: flags.list)
        }
        return apply(notification, hashes, event, in: memory)
    }

    /// Applies the order rules to the order that the notification names. `isDescribed` is false in
    /// replay, where the description of the order is not used.
    private mutating func apply(
        _ notification: Notification, _ hashes: NotificationHashes, _ event: EventMark,
        in memory: borrowing some LedgerMemory, isDescribed: Bool = true
    ) -> EventChange {
        let flags = FlagSet(notification.flags)
        switch resolve(notification, hashes, marking: flags, in: memory) {
        case .full(let key, let full):
            var change = EventChange(.recorded, event)
            change.note(full, under: key, after: notification, isDescribed: isDescribed)
            return change
        case .order(var place):
            // The outcome of a stored record is known.
            let wasContradicted = isDescribed && place.order.contradicts(notification)
            place.joining.apply(notification, factsMax: factsMax)
            let isContradicted = isDescribed && place.order.contradicts(notification)
            var change = EventChange(
                isContradicted && !wasContradicted ? .conflict : .recorded, event)
            settle(place, hashes, notification, into: &change, isDescribed: isDescribed)
            return change
        }
    }

    /// Applies the same identity with other content: both claims are kept, and the order is in
    /// `review`, whichever came first.
    private mutating func conflict(
        _ notification: Notification, _ hashes: NotificationHashes, _ event: EventMark,
        with original: UInt64, in memory: borrowing some LedgerMemory, isDescribed: Bool = true
    ) -> EventChange {
        var change = EventChange(.conflict, event)
        change.content.conflictsWith = original
        guard notification.namesOrder else {
            change.content.flags = FlagSet(notification.flags + [.conflict]).list
            return change
        }
        var flags = FlagSet(notification.flags)
        flags.insert(.conflict)
        switch resolve(notification, hashes, marking: flags, in: memory) {
        case .full(let key, let full):
            change.note(full, under: key, after: notification, isDescribed: isDescribed)
        case .order(var place):
            place.joining.apply(notification, factsMax: factsMax)
            let seat = place.joining.seat
            place.change { $0.markConflict(seat) }
            settle(place, hashes, notification, into: &change, isDescribed: isDescribed)
        }
        return change
    }

    /// Adds the record to the changed order, and settles its place.
    private func settle(
        _ changed: consuming OrderPlace, _ hashes: NotificationHashes,
        _ notification: Notification, into change: inout EventChange, isDescribed: Bool
    ) {
        var place = changed
        place.add(change.event.sequence)
        place.settle(keys, endpoint: hashes.endpoint, added: notification, hashes)
        if isDescribed {
            change.describe(place, after: notification)
            place.note(status: change.content.order?.summary.status)
        }
        change.place = consume place
    }
}

extension Order {
    /// Whether the facts contradict the merchant's expectation; after the answer to an inquiry,
    /// also whether they contradict each other.
    fileprivate func contradicts(_ notification: Notification) -> Bool {
        if contradictsExpectation { return true }
        return notification.isInquiry && FlagSet(summary.flags).intersects(Self.contradictions)
    }

    private static let contradictions = FlagSet([
        .contradicted, .amountsDiffer, .currencyMismatch, .conflict, .amountUnexpected,
    ])
}

extension Notification {
    /// Whether it reports something about an order that it names.
    fileprivate var namesOrder: Bool {
        if case .none = effect { return false }
        return reference != nil || transaction != nil || effect.id?.isEmpty == false
    }
}

/// Registrations of the merchant.
extension PendingBatch {
    /// Decides on a registration, given everything before it.
    ///
    /// | registered before | decision |
    /// |---|---|
    /// | nothing | a record |
    /// | the same | the record that holds it |
    /// | something else | refused: payments may have been compared with the first |
    ///
    /// Of several tries of one order, the expectation that was registered last counts.
    package mutating func decide(
        _ registered: RegisteredExpectation, reference: String, endpoint: UInt16,
        sequence: UInt64, in memory: borrowing some LedgerMemory
    ) -> RegistrationDecision {
        let mark = mark(registered, endpoint, reference, sequence: sequence)
        guard let known = event(mark.key, in: memory) else {
            do throws(ActionRefusal) {
                let place = try place(
                    of: registered, named: reference, endpoint, in: memory)
                return .record(
                    registering(
                        place, registered, reference: reference, endpoint: endpoint,
                        sequence: sequence))
            } catch {
                return .refused(error)
            }
        }
        let isSameText = known.fingerprint == mark.known.fingerprint
        if registered.order != nil {
            return isSameText ? .same(as: known.sequence) : .differs(from: known.sequence)
        }
        let notification = Notification.expectation(reference)
        let place = place(
            of: notification, keys.hashes(of: notification, endpoint), in: memory)
        let isSame = isSameText && place.order.expected == registered.expectation
        return isSame ? .same(as: known.sequence) : .differs(from: known.sequence)
    }

    /// The change of a registration. `isDescribed` is false in replay, where
    /// the description of the order is not used.
    mutating func register(
        _ registered: RegisteredExpectation, reference: String, endpoint: UInt16,
        sequence: UInt64, in memory: borrowing some LedgerMemory, isDescribed: Bool = true
    ) -> EventChange {
        let place: OrderPlace
        if let tied = try? self.place(of: registered, named: reference, endpoint, in: memory) {
            place = tied
        } else {
            // One that later limits would refuse, recorded under earlier ones.
            let event = Notification.expectation(reference)
            place = self.place(of: event, keys.hashes(of: event, endpoint), in: memory)
        }
        return registering(
            place, registered, reference: reference, endpoint: endpoint, sequence: sequence,
            isDescribed: isDescribed)
    }

    /// Finds the order of a registration: that of its reference, or the shop's, to which it ties
    /// the reference as a try.
    private mutating func place(
        of registered: RegisteredExpectation, named reference: String, _ endpoint: UInt16,
        in memory: borrowing some LedgerMemory
    ) throws(ActionRefusal) -> OrderPlace {
        if let order = registered.order {
            return try place(tying: reference, to: order, endpoint, in: memory)
        }
        let event = Notification.expectation(reference)
        return place(of: event, keys.hashes(of: event, endpoint), in: memory)
    }

    private mutating func registering(
        _ found: consuming OrderPlace, _ registered: RegisteredExpectation, reference: String,
        endpoint: UInt16, sequence: UInt64, isDescribed: Bool = true
    ) -> EventChange {
        var place = found
        place.change { stored in
            stored.changeMain {
                $0 = $0.registering(registered.expectation, reference: reference)
            }
        }
        place.add(sequence)
        let event = Notification.expectation(reference)
        // A try's reference has to lead to the shop's order, which a notification's does not.
        place.settle(keys, endpoint: endpoint, added: registered.order == nil ? event : nil)
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
            content: keys.function.hash(registered.comparedBytes.span), sequence: sequence)
    }
}
