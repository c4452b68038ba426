import Payments
import Providers

extension SampleEvent {
    /// An event of an order over 42.00 MYR.
    static func sample(
        _ type: EventType, reference: String = "REQ-1", minor: Int64 = 4200,
        currency: String = "MYR", number: Int = 1
    ) -> SampleEvent {
        SampleEvent(
            type: type, reference: reference,
            money: Money(minor: minor, currency: Currency(currency)!),
            occurred: Timestamp(iso8601: "2026-11-21T06:59:58Z")!, number: number)
    }
}

extension Money {
    static func of(_ minor: Int64, _ currency: String) -> Money {
        Money(minor: minor, currency: Currency(currency)!)
    }
}

extension Effect {
    /// Whether this could make an order paid.
    var takesMoney: Bool {
        switch self {
        case .attempt(.paid, _), .capture(_, .succeeded, _): true
        default: false
        }
    }
}
