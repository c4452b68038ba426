import Payments
import Records

/// The change to an order that a person's act demands.
package enum ActionDemand: Sendable, Equatable {
    /// None: the act is only listed among the order's records.
    case note
    /// The order's status and sums are those of the proposal. `last` is the order's newest record
    /// that the person saw.
    case resolve(SettlementProposal, last: UInt64)
    /// Another sum is expected.
    case correct(RegisteredExpectation, last: UInt64)
    /// Everything that was joined by an id only is removed from the order.
    case split(last: UInt64)
    /// The personal parts of its records are erased. The order stays as it is.
    case erase(last: UInt64)
}

/// Why an act is neither recorded nor done.
package enum ActionRefusal: Error, Sendable, Equatable {
    /// No record names the order.
    case orderUnknown
    /// The order has had records since the person looked; the newest.
    case orderChanged(last: UInt64)
    /// More was reported than the order holds, so it cannot be taken apart.
    case orderFull
    /// Nothing was joined to the order, and no other claims an id of it.
    case nothingJoined
    /// The proposed status or sums are impossible for the order.
    case settlement(SettlementRefusal)
    /// Nothing is expected of the order that could be corrected.
    case expectationUnknown
    /// The shop's order has as many tries as an order may have.
    case triesFull
    /// Money has moved: the expectation is what it was compared with.
    case alreadyPaid
    /// Records are stored as they are: there are no keys that could be destroyed.
    case notSealed
}

/// The decision on an act.
package enum ActionDecision: ~Copyable {
    /// To be recorded, with the act as decided.
    case record(EventChange, RecordedAction)
    case refused(ActionRefusal)
}

/// The acts of people, decided as notifications are.
extension PendingBatch {
    /// Decides on an act, given everything before it.
    package mutating func decide(
        _ action: RecordedAction, _ demand: ActionDemand, endpoint: UInt16, sequence: UInt64,
        in memory: borrowing some LedgerMemory
    ) -> ActionDecision {
        switch demand {
        case .note: .record(note(action, endpoint, sequence: sequence, in: memory), action)
        case .resolve(let proposal, let last):
            resolve(action, proposal, ifLast: last, endpoint, sequence: sequence, in: memory)
        case .correct(let registered, let last):
            correct(action, registered, ifLast: last, endpoint, sequence: sequence, in: memory)
        case .split(let last):
            split(action, ifLast: last, endpoint, sequence: sequence, in: memory)
        case .erase(let last):
            erase(action, ifLast: last, endpoint, sequence: sequence, in: memory)
        }
    }

    /// The change of a recorded act, with the decision that was made then. An act that corrects an
    /// expectation is replayed as a registration.
    mutating func apply(
        _ action: RecordedAction, endpoint: UInt16, sequence: UInt64,
        in memory: borrowing some LedgerMemory
    ) -> EventChange {
        if action.kind == .split {
            return separating(
                separable(action, endpoint, in: memory), action, endpoint, sequence: sequence,
                isDescribed: false)
        }
        guard let resolved = action.resolved else {
            return note(action, endpoint, sequence: sequence, in: memory, isDescribed: false)
        }
        let event = action.notification
        return resolving(
            place(of: event, keys.hashes(of: event, endpoint), in: memory), action, resolved,
            endpoint, sequence: sequence, isDescribed: false)
    }

    /// Lists the act among the order's records. No order begins with it.
    private mutating func note(
        _ action: RecordedAction, _ endpoint: UInt16, sequence: UInt64,
        in memory: borrowing some LedgerMemory, isDescribed: Bool = true
    ) -> EventChange {
        let mark = mark(action, endpoint, sequence: sequence)
        guard action.reference != nil else { return EventChange(.ignored, mark) }
        let event = action.notification
        switch resolve(event, keys.hashes(of: event, endpoint), marking: FlagSet(), in: memory) {
        case .full(let key, let full):
            var change = EventChange(.recorded, mark)
            change.note(full, under: key, after: event, isDescribed: isDescribed)
            return change
        case .order(let place):
            if place.isNew { return EventChange(.ignored, mark) }
            return settling(place, event, mark, endpoint, isDescribed: isDescribed)
        }
    }

    private mutating func resolve(
        _ action: RecordedAction, _ proposal: SettlementProposal, ifLast last: UInt64,
        _ endpoint: UInt16, sequence: UInt64, in memory: borrowing some LedgerMemory
    ) -> ActionDecision {
        let event = action.notification
        let place = place(of: event, keys.hashes(of: event, endpoint), in: memory)
        if let refusal = place.refusal(ifLast: last) { return .refused(refusal) }
        let resolved: RecordedAction.Resolved
        do throws(SettlementRefusal) {
            resolved = .init(
                try place.order.settlement(proposal), basis: place.order.factDigest)
        } catch {
            return .refused(.settlement(error))
        }
        var decided = action
        decided.resolved = resolved
        let change = resolving(
            place, decided, resolved, endpoint, sequence: sequence, isDescribed: true)
        return .record(change, decided)
    }

    private mutating func split(
        _ action: RecordedAction, ifLast last: UInt64, _ endpoint: UInt16, sequence: UInt64,
        in memory: borrowing some LedgerMemory
    ) -> ActionDecision {
        let place = separable(action, endpoint, in: memory)
        if let refusal = place.refusal(ifLast: last) { return .refused(refusal) }
        if place.order.isFull { return .refused(.orderFull) }
        if place.order.reference == nil { return .refused(.orderUnknown) }
        if place.stored.guests.isEmpty, place.stored.rivals.isEmpty {
            return .refused(.nothingJoined)
        }
        return .record(
            separating(place, action, endpoint, sequence: sequence, isDescribed: true), action)
    }

    private mutating func erase(
        _ action: RecordedAction, ifLast last: UInt64, _ endpoint: UInt16, sequence: UInt64,
        in memory: borrowing some LedgerMemory
    ) -> ActionDecision {
        let event = action.notification
        let place = place(of: event, keys.hashes(of: event, endpoint), in: memory)
        if let refusal = place.refusal(ifLast: last) { return .refused(refusal) }
        return .record(note(action, endpoint, sequence: sequence, in: memory), action)
    }

    /// Finds the order of a `split`, with the orders to which its parts may move.
    private mutating func separable(
        _ action: RecordedAction, _ endpoint: UInt16, in memory: borrowing some LedgerMemory
    ) -> OrderPlace {
        let event = action.notification
        let hashes = keys.hashes(of: event, endpoint)
        let seat = Seat(event)
        var found: [(key: KeyHash, order: FoundOrder)] = []
        if let reference = event.reference, let key = hashes.reference,
            let order = order(key, named: reference, endpoint: endpoint, in: memory)
        {
            if case .full = order { return place(of: event, hashes, in: memory) }
            found.append((key, order))
        }
        for name in action.separated {
            let key = keys.reference(endpoint, name.value)
            if name.isReference, !found.contains(where: { $0.key == key }),
                let order = order(key, named: name.value, endpoint: endpoint, in: memory)
            {
                found.append((key, order))
            } else if !name.isReference {
                let key = keys.transaction(endpoint, name.value)
                collect(&found, by: key, endpoint, in: memory, .holds(name.value))
            }
        }
        var joining = Joining(found, seat, alias: nil, endpoint: endpoint)
        _ = joining.choose()
        return OrderPlace(joining)
    }

    private func separating(
        _ found: consuming OrderPlace, _ action: RecordedAction, _ endpoint: UInt16,
        sequence: UInt64, isDescribed: Bool
    ) -> EventChange {
        var place = found
        if !place.order.isFull { place.joining.separate() }
        return settling(
            place, action.notification, mark(action, endpoint, sequence: sequence), endpoint,
            isDescribed: isDescribed)
    }

    private mutating func correct(
        _ action: RecordedAction, _ registered: RegisteredExpectation, ifLast last: UInt64,
        _ endpoint: UInt16, sequence: UInt64, in memory: borrowing some LedgerMemory
    ) -> ActionDecision {
        let event = action.notification
        guard let reference = action.reference else { return .refused(.orderUnknown) }
        let place = place(of: event, keys.hashes(of: event, endpoint), in: memory)
        if let refusal = place.refusal(ifLast: last) { return .refused(refusal) }
        guard place.order.expected != nil else { return .refused(.expectationUnknown) }
        guard !place.order.hasMovedMoney else { return .refused(.alreadyPaid) }
        var decided = action
        decided.replaces =
            self.event(keys.expectation(endpoint, reference), in: memory)?.sequence
        let change = register(
            registered, reference: reference, endpoint: endpoint, sequence: sequence, in: memory)
        return .record(change, decided)
    }

    private mutating func resolving(
        _ found: consuming OrderPlace, _ action: RecordedAction,
        _ resolved: RecordedAction.Resolved, _ endpoint: UInt16, sequence: UInt64,
        isDescribed: Bool
    ) -> EventChange {
        var place = found
        let resolution = Payments.Resolution(
            sequence: sequence, settlement: resolved.settlement, basis: resolved.basis,
            by: action.by, resolved: action.received, reason: action.reason)
        place.change { stored in stored.changeMain { $0 = $0.resolving(resolution) } }
        return settling(
            place, action.notification, mark(action, endpoint, sequence: sequence), endpoint,
            isDescribed: isDescribed)
    }

    private func settling(
        _ found: consuming OrderPlace, _ event: Notification, _ mark: EventMark,
        _ endpoint: UInt16, isDescribed: Bool
    ) -> EventChange {
        var place = found
        place.add(mark.known.sequence)
        place.settle(keys, endpoint: endpoint, added: event)
        var change = EventChange(.recorded, mark)
        if isDescribed { change.describe(place, after: event) }
        change.place = consume place
        return change
    }

    private func mark(
        _ action: RecordedAction, _ endpoint: UInt16, sequence: UInt64
    ) -> EventMark {
        let key = keys.event(endpoint, id: action.id)
        return EventMark(key: key, content: key, sequence: sequence)
    }
}

extension OrderPlace {
    /// Returns the refusal; nil when the order exists and `last` is its newest record.
    fileprivate func refusal(ifLast last: UInt64) -> ActionRefusal? {
        guard !isNew else { return .orderUnknown }
        let newest = max(stored.sequences.last ?? 0, stored.later.last)
        return newest == last ? nil : .orderChanged(last: newest)
    }
}
