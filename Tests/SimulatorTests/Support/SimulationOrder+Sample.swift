import Payments
import Platform
import Simulator

extension SimulationOrder {
    /// An order of 42.00 MYR that began at `Sandbox.time`, within the time window of all providers.
    static func sample(_ reference: String = "ORDER-7", minor: Int64 = 4200) -> SimulationOrder {
        SimulationOrder.fresh(
            count: 1, reference: reference, transaction: nil,
            money: Money(minor: minor, currency: Currency("MYR")!),
            microseconds: Sandbox.time.microseconds)[0]
    }
}
