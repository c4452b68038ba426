import Payments

/// The life of one order at its provider so far, from which both sides of a simulation derive: a
/// ``Sender`` sends its events as notifications, and a ``Responder`` answers with the resulting
/// state.
package struct SampleLife: Sendable, Equatable {
    package let reference: String

    /// The events in the order in which they happened; empty while the provider has no payment.
    package private(set) var events: [SampleEvent]

    package init(reference: String, events: [SampleEvent] = []) {
        self.reference = reference
        self.events = []
        for event in events { append(event) }
    }

    package mutating func append(_ event: SampleEvent) { events.append(following(event)) }

    /// Returns the next event, with the sums that the payment's earlier events add up to.
    package func following(_ event: SampleEvent) -> SampleEvent {
        var event = event
        let payment = payments.first { $0.transaction == event.transaction }
        event.paid = payment?.money
        if event.type == .refunded {
            let others = payment?.operations.filter {
                $0.type == .refunded && $0.actionID != event.actionID
            }
            let before = others?.reduce(0) { $0 + $1.money.minor } ?? 0
            event.refundedSoFar = Money(
                minor: before + event.money.minor, currency: event.money.currency)
        }
        return event
    }

    /// Returns the life as it was after its first `count` events.
    package func prefix(_ count: Int) -> SampleLife {
        SampleLife(reference: reference, events: Array(events.prefix(count)))
    }

    /// The payments under the reference, oldest first.
    package var payments: [SamplePayment] {
        var payments: [SamplePayment] = []
        for event in events where event.kind != "other" {
            if let index = payments.firstIndex(where: { $0.transaction == event.transaction }) {
                payments[index].take(event)
            } else {
                payments.append(SamplePayment(event))
            }
        }
        return payments
    }
}

/// One payment of a life, with its latest status and all its operations.
package struct SamplePayment: Sendable, Equatable {
    package let transaction: String

    /// The payment's own status; nil if only an operation on it happened.
    package private(set) var status: EventType?
    package private(set) var money: Money
    package let began: Timestamp
    package private(set) var changed: Timestamp
    private(set) var number: Int

    /// Captures, refunds and disputes, each once, with its latest event.
    package private(set) var operations: [SampleEvent] = []

    fileprivate init(_ event: SampleEvent) {
        transaction = event.transaction
        money = event.money
        began = event.occurred
        changed = event.occurred
        number = event.number
        take(event)
    }

    fileprivate mutating func take(_ event: SampleEvent) {
        changed = max(changed, event.occurred)
        guard event.kind != "payment" else {
            status = event.type
            money = event.money
            number = event.number
            return
        }
        if let index = operations.firstIndex(where: {
            $0.kind == event.kind && $0.actionID == event.actionID
        }) {
            operations[index] = event
        } else {
            operations.append(event)
        }
    }

    /// Returns the operations of a kind: `capture`, `refund` or `dispute`.
    package func operations(_ kind: String) -> [SampleEvent] {
        operations.filter { $0.kind == kind }
    }

    /// The sum of the captures that succeeded, in minor units; nil if there are none.
    package var captured: Int64? { Self.sum(operations.filter { $0.type == .captured }) }

    /// The sum of the refunds that succeeded, in minor units.
    package var refunded: Int64 { Self.sum(operations.filter { $0.type == .refunded }) ?? 0 }

    private static func sum(_ operations: [SampleEvent]) -> Int64? {
        operations.isEmpty ? nil : operations.reduce(0) { $0 + $1.money.minor }
    }

    /// Returns the payment's own event, as in its latest notification.
    func event(_ reference: String) -> SampleEvent? {
        status.map {
            SampleEvent(
                type: $0, reference: reference, transaction: transaction, actionID: transaction,
                money: money, occurred: changed, number: number)
        }
    }
}
