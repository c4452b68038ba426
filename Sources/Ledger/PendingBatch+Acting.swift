import Payments
import Records

/// What a person's act asks of an order.
package enum ActionDemand: Sendable, Equatable {
    /// That the order's records tell of it.
    case note
    /// That the order is what the person says. `last` is the order's newest record that the person
    /// saw.
    case resolve(SettlementProposal, last: UInt64)
    /// That another sum is expected.
    case correct(RegisteredExpectation, last: UInt64)
}

/// Why an act is neither recorded nor done.
package enum ActionRefusal: Error, Sendable, Equatable {
    /// No record names the order.
    case orderUnknown
    /// The order has had records since the person looked; the newest.
    case orderChanged(last: UInt64)
    /// More was reported than the order holds, so nobody can say what it is.
    case orderFull
    /// What the person says cannot be true of the order.
    case settlement(SettlementRefusal)
    /// Nothing is expected of the order that could be corrected.
    case expectationUnknown
    /// Money has moved: the expectation is what it was compared with.
    case alreadyPaid
}

/// What an act means.
package enum ActionDecision: ~Copyable {
    /// To be recorded, with everything that was decided.
    case record(EventChange, RecordedAction)
    case refused(ActionRefusal)
}

/// The acts of people, decided as notifications are.
extension PendingBatch {
    /// What an act means, given everything before it.
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
        }
    }

    /// What a record of an act says, with what was decided when it was written. One that corrects
    /// an expectation is a registration.
    mutating func apply(
        _ action: RecordedAction, endpoint: UInt16, sequence: UInt64,
        in memory: borrowing some LedgerMemory
    ) -> EventChange {
        guard let resolved = action.resolved else {
            return note(action, endpoint, sequence: sequence, in: memory, isDescribed: false)
        }
        let event = action.notification
        switch resolve(event, keys.hashes(of: event, endpoint), marking: FlagSet(), in: memory) {
        case .full(let key, let full):
            var change = EventChange(.recorded, mark(action, endpoint, sequence: sequence))
            change.note(full, under: key, after: event, isDescribed: false)
            return change
        case .order(let place):
            return resolving(
                place, action, resolved, endpoint, sequence: sequence, isDescribed: false)
        }
    }

    /// The order's records tell of the act; an order that nobody has heard of does not begin with
    /// it.
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
        switch resolve(event, keys.hashes(of: event, endpoint), marking: FlagSet(), in: memory) {
        case .full: return .refused(.orderFull)
        case .order(let place):
            if let refusal = place.refusal(ifLast: last) { return .refused(refusal) }
            var decided = action
            do throws(SettlementRefusal) {
                decided.resolved = .init(
                    try place.order.settlement(proposal), basis: place.order.factDigest)
            } catch {
                return .refused(.settlement(error))
            }
            guard let resolved = decided.resolved else { return .refused(.orderFull) }
            let change = resolving(
                place, decided, resolved, endpoint, sequence: sequence, isDescribed: true)
            return .record(change, decided)
        }
    }

    private mutating func correct(
        _ action: RecordedAction, _ registered: RegisteredExpectation, ifLast last: UInt64,
        _ endpoint: UInt16, sequence: UInt64, in memory: borrowing some LedgerMemory
    ) -> ActionDecision {
        let event = action.notification
        guard let reference = action.reference else { return .refused(.orderUnknown) }
        switch resolve(event, keys.hashes(of: event, endpoint), marking: FlagSet(), in: memory) {
        case .full: return .refused(.orderFull)
        case .order(let place):
            if let refusal = place.refusal(ifLast: last) { return .refused(refusal) }
            guard place.order.expected != nil else { return .refused(.expectationUnknown) }
            guard !place.order.hasMovedMoney else { return .refused(.alreadyPaid) }
        }
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
        place.order = place.order.resolving(
            Payments.Resolution(
                sequence: sequence, settlement: resolved.settlement, basis: resolved.basis,
                by: action.by, resolved: action.received, reason: action.reason))
        return settling(
            place, action.notification, mark(action, endpoint, sequence: sequence), endpoint,
            isDescribed: isDescribed)
    }

    private func settling(
        _ found: consuming OrderPlace, _ event: Notification, _ mark: EventMark,
        _ endpoint: UInt16, isDescribed: Bool
    ) -> EventChange {
        var place = found
        place.stored.add(mark.known.sequence)
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
    /// Whether nobody has heard of the order before.
    var isNew: Bool { previous == nil }

    /// Nil when the order is there and `last` is its newest record.
    fileprivate func refusal(ifLast last: UInt64) -> ActionRefusal? {
        guard !isNew else { return .orderUnknown }
        let newest = max(stored.sequences.last ?? 0, stored.later.last)
        return newest == last ? nil : .orderChanged(last: newest)
    }
}
