import Store

/// The state of one recorded event at one destination.
package struct EventWhereabouts: Sendable, Equatable {
    package enum State: String, Sendable {
        /// The destination's filter leaves it out, or it is about no order.
        case excluded
        /// The destination has not read up to it yet.
        case ahead
        /// It waits for its next attempt, or for an earlier event of its order.
        case waiting
        case dead
        /// It was delivered, or was recorded before the destination began.
        case passed
    }

    package var destination: String
    package var state: State
}

extension DeliveryService {
    /// The state of an event at each destination of this instance's configuration.
    package func whereabouts(
        of sequence: UInt64
    ) async throws(DeliveryCommandFailure) -> [EventWhereabouts] {
        let event = try await event(sequence)
        var query = DeliveryQuery()
        query.sequence = sequence
        let pending = try await deliveries(query).deliveries
        return await allStatuses().map { status in
            let kept = pending.first { $0.destination == status.name }
            let isAdmitted = event.map { event in
                filter(of: status.name).map { $0.admits(event) } ?? true
            }
            let position = status.figures?.position ?? 0
            let state: EventWhereabouts.State =
                if let kept {
                    kept.state == .dead ? .dead : .waiting
                } else if isAdmitted != true {
                    .excluded
                } else {
                    position >= sequence ? .passed : .ahead
                }
            return EventWhereabouts(destination: status.name, state: state)
        }
    }

    /// Removes the excerpts of the answers to events of these records. Returns their number.
    package func removeAnswers(
        about records: [ClosedRange<UInt64>]
    ) async throws(DeliveryStateFailure) -> Int {
        try await state.removeAnswers(about: records)
    }

    private func filter(of name: String) -> DestinationFilter? {
        (try? destinations(name))?.first?.filter
    }
}
