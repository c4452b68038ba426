import Testing

@testable import Commands

@Suite struct SendEventOptionsTests {
    private static func options(_ arguments: [String]) throws -> SendEventOptions {
        try SendEventOptions.parse(arguments)
    }

    @Test(arguments: [
        ([], "paid"), (["--status", "failed"], "failed"), (["--scenario", "refund"], "refunded"),
        (["--scenario", "partial-refunds"], "partially_refunded"),
    ])
    func `a new order has an expected state`(arguments: [String], status: String) throws {
        let expectation = try Self.options(arguments).orderExpectation
        #expect(expectation?.status?.rawValue == status)
    }

    @Test(arguments: [
        ["--reference", "R"], ["--transaction", "T"], ["--status", "refunded"],
        ["--status", "disputed"],
    ])
    func `a single event of an existing order has none`(arguments: [String]) throws {
        #expect(try Self.options(arguments).orderExpectation == nil)
    }

    @Test func `a scenario of refused requests expects no order`() throws {
        let expectation = try Self.options(["--scenario", "wrong-key"]).orderExpectation
        #expect(expectation != nil && expectation?.status == nil)
    }

    @Test func `every order of a count has its own reference`() throws {
        let orders = try Self.options(["--count", "3", "--reference", "R", "--amount", "10.50"])
            .orders(microseconds: 1_795_244_400_000_000)
        #expect(Set(orders.map(\.reference)).count == 3)
        #expect(orders.allSatisfy { $0.reference.hasPrefix("R") })
        #expect(orders.allSatisfy { $0.money.minor == 1050 && $0.money.currency.code == "MYR" })
    }

    @Test(arguments: [("42", "MYR"), ("42.5", "MYR"), ("42", "JPY"), ("42.00", "JPY")])
    func `an amount may have trailing zeros or none`(amount: String, currency: String) throws {
        _ = try Self.options(["--amount", amount, "--currency", currency])
    }
}
