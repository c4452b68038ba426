import Payments

/// The life of one order at its provider, as far as it has happened: the one truth from which both
/// sides of a trial are made. A ``Sender`` tells its events as notifications, and a ``Responder``
/// answers with what has come of them.
package struct SampleLife: Sendable, Equatable {
    package let reference: String

    /// In the order in which they happened. Empty while the provider knows no payment.
    package private(set) var events: [SampleEvent]

    package init(reference: String, events: [SampleEvent] = []) {
        self.reference = reference
        self.events = events
    }

    package mutating func append(_ event: SampleEvent) { events.append(event) }

    /// The same life when only its first `count` events had happened.
    package func prefix(_ count: Int) -> SampleLife {
        SampleLife(reference: reference, events: Array(events.prefix(count)))
    }

    /// The payments under the reference, the first one first.
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

/// One payment of a life, with its latest word and everything that was done with it.
package struct SamplePayment: Sendable, Equatable {
    package let transaction: String

    /// What the payment itself is; nil where only an operation on it is known.
    package private(set) var status: EventType?
    package private(set) var money: Money
    package let began: Timestamp
    package private(set) var changed: Timestamp
    private(set) var number: Int

    /// Captures, refunds and disputes, each once, with the latest word about it.
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

    /// The operations of a kind: `capture`, `refund` or `dispute`.
    package func operations(_ kind: String) -> [SampleEvent] {
        operations.filter { $0.kind == kind }
    }

    /// Minor units of the captures that succeeded; nil where there are none.
    package var captured: Int64? { Self.sum(operations.filter { $0.type == .captured }) }

    /// Minor units of the refunds that succeeded.
    package var refunded: Int64 { Self.sum(operations.filter { $0.type == .refunded }) ?? 0 }

    private static func sum(_ operations: [SampleEvent]) -> Int64? {
        operations.isEmpty ? nil : operations.reduce(0) { $0 + $1.money.minor }
    }

    /// The payment's own event, as its latest notification told it.
    func event(_ reference: String) -> SampleEvent? {
        status.map {
            SampleEvent(
                type: $0, reference: reference, transaction: transaction, actionID: transaction,
                money: money, occurred: changed, number: number)
        }
    }
}
