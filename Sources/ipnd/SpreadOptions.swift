import ArgumentParser

/// How many events one order gets.
struct SpreadOptions: ParsableArguments, Sendable {
    @Option(help: "Spread the events over so many orders, instead of one each.") var orders: Int?
    @Flag(help: "Refunds of one payment of each order, instead of payments.") var refunds = false

    func validate() throws {
        if let orders, orders < 1 { throw ValidationError("--orders must be at least 1") }
    }
}
