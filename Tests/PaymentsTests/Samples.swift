import Payments
import Testing

/// Distinguishes it from `Testing.Expectation`.
typealias Registration = Payments.Expectation

/// Short constructors of the tests' values.
func money(_ minor: Int64, _ code: String = "MYR") -> Money {
    Money(minor: minor, currency: currency(code))
}

func currency(_ code: String) -> Currency {
    guard let currency = Currency(code) else { fatalError("\(code) is no currency code") }
    return currency
}

/// Creates a notification, by default about order `R` and transaction `T`.
func notification(
    _ effect: Effect, reference: String? = "R", transaction: String? = "T", flags: [Flag] = []
) -> Notification {
    Notification(
        id: "event", kind: "payment", status: "status", reference: reference,
        transaction: transaction, effect: effect, flags: flags)
}

func attempt(
    _ status: AttemptStatus, _ amount: Money? = money(100), transaction: String? = "T"
) -> Notification {
    notification(.attempt(status, amount), transaction: transaction)
}

func capture(
    _ id: String = "C", _ status: ActionStatus = .succeeded, _ amount: Money? = money(100),
    transaction: String? = "T"
) -> Notification {
    notification(.capture(id: id, status, amount), transaction: transaction)
}

func refund(
    _ id: String = "F", _ status: ActionStatus = .succeeded, _ amount: Money? = money(100),
    transaction: String? = "T"
) -> Notification {
    notification(.refund(id: id, status, amount), transaction: transaction)
}

func dispute(
    _ status: DisputeStatus, id: String = "D", _ amount: Money? = money(100)
) -> Notification {
    notification(.dispute(id: id, status, amount))
}

func raise(
    _ kind: Reversal.Kind, _ amount: Money?, id: String = "I", _ status: ActionStatus = .succeeded,
    transaction: String? = "T"
) -> Notification {
    notification(.reversal(kind, id: id, status, amount), transaction: transaction)
}

/// Returns order `R` after the notifications. Also checks that the reverse order gives the same
/// result.
func order(_ notifications: Notification...) -> Order {
    order(notifications)
}

/// Same as `order(_:)`.
func order(_ notifications: [Notification]) -> Order {
    let forward = notifications.reduce(Order(reference: "R")) { $0.applying($1) }
    let backward = notifications.reversed().reduce(Order(reference: "R")) { $0.applying($1) }
    #expect(forward == backward, "the order of arrival shows in \(notifications)")
    return forward
}
