import ArgumentParser

/// The number of events per order.
struct SpreadOptions: ParsableArguments, Sendable {
    @Option(help: "Spread the events over this number of orders, instead of one each.") var orders:
        Int?
    @Flag(help: "Send refunds of one payment per order, instead of payments.") var refunds = false

    func validate() throws {
        if let orders, orders < 1 { throw ValidationError("--orders must be at least 1") }
    }
}
