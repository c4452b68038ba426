import ArgumentParser
import Console
import Payments
import Providers
import Simulator

/// The events that `ipnd send` sends.
struct SendEventOptions: ParsableArguments {
    @Option(
        help: "Event to send.", completion: .list(EventType.allCases.map(\.rawValue)))
    var status: String?
    @Option(
        help: "Send all notifications of a scenario instead of one status.",
        completion: .list(Scenario.all.map(\.name)))
    var scenario: String?
    @Option(help: "The merchant's order reference (default: a new one).") var reference: String?
    @Option(help: "The provider's payment id.") var transaction: String?
    @Option(help: "The amount, in units of the currency.") var amount = "42.00"
    @Option(help: "The currency (ISO 4217).") var currency = "MYR"
    @Option(help: "Number of different notifications (or scenarios).") var count = 1
    @Option(help: "Number of times to send each one, byte for byte the same.") var `repeat`: Int?

    /// Every request is signed before the first is sent, and takes about 1 KiB of memory.
    static let requestsMax = 1_000_000

    func validate() throws {
        guard count > 0 else { throw ValidationError("--count must be at least 1") }
        guard `repeat` ?? 1 > 0 else { throw ValidationError("--repeat must be at least 1") }
        // A scenario has at most ten steps, so this bounds the requests.
        let (requests, isOverflow) = count.multipliedReportingOverflow(by: `repeat` ?? 1)
        guard !isOverflow, requests <= Self.requestsMax else {
            throw ValidationError(
                "--count times --repeat must be at most \(Self.requestsMax)")
        }
        if status != nil, scenario != nil {
            throw ValidationError("give either --status or --scenario")
        }
        if let status, EventType(rawValue: status) == nil {
            let known = EventType.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--status: “\(status)” is unknown; use one of \(known)")
        }
        if let scenario, Scenario.named(scenario) == nil {
            let known = Scenario.all.map(\.name).joined(separator: ", ")
            throw ValidationError("--scenario: “\(scenario)” is unknown; use one of \(known)")
        }
        guard let code = Currency(currency) else {
            throw ValidationError("--currency: “\(currency)” is not three capital letters")
        }
        guard money != nil else {
            throw ValidationError(
                "--amount: “\(amount)” is not a valid \(currency) amount, which has "
                    + "\(counted(code.exponent, "decimal")); write "
                    + (Money(decimal: "42.0000", currency: code, allowingTrailingZeros: true)?
                        .decimal ?? "42"))
        }
    }

    /// The scenario, which ``validate()`` has checked.
    var play: Scenario {
        if let scenario, let found = Scenario.named(scenario) { return found }
        return .single(status.flatMap { EventType(rawValue: $0) } ?? .paid)
    }

    /// The order's final state by the scenario; nil without a scenario.
    var expectation: ScenarioExpectation? {
        guard scenario != nil, let money else { return nil }
        return play.expectation(of: money)
    }

    /// The order's expected final state. A single event determines it only if it is a payment's
    /// and the order is new.
    var orderExpectation: ScenarioExpectation? {
        if scenario != nil { return expectation }
        guard reference == nil, transaction == nil, let money,
            let type = play.steps.first?.type, type.kind == "payment",
            let status = OrderStatus(rawValue: type.rawValue)
        else { return nil }
        return ScenarioExpectation(
            status: status, refunded: Money(minor: 0, currency: money.currency))
    }

    func orders(microseconds: Int64) -> [SimulationOrder] {
        guard let money else { return [] }
        return SimulationOrder.fresh(
            count: count, reference: reference, transaction: transaction, money: money,
            microseconds: microseconds)
    }

    private var money: Money? {
        Currency(currency).flatMap {
            Money(decimal: amount, currency: $0, allowingTrailingZeros: true)
        }
    }
}
