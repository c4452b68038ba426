import Payments
import Testing

/// Authorisations that are raised, and captures beyond the authorised amount.
@Suite struct RaisedAuthorizationTests {
    @Test func `increases add up and totals do not`() {
        let order = order(
            attempt(.authorized), raise(.increase, money(20), id: "I1"),
            raise(.increase, money(5), id: "I2"), raise(.total, money(110), id: "I3"))
        #expect(order.summary.authorized == money(125) && order.status == .authorized)
        let greater = order.applying(raise(.total, money(150), id: "I4"))
        #expect(greater.summary.authorized == money(150) && greater.flags.isEmpty)
        #expect(!greater.hasMovedMoney)
    }

    @Test(arguments: [nil, "T", "unknown"])
    func `the only attempt is raised whatever is named`(transaction: String?) {
        let order = order(
            attempt(.authorized), raise(.increase, money(50), transaction: transaction),
            capture("C", .succeeded, money(150)))
        #expect(order.status == .paid && order.flags.isEmpty)
        #expect(order.summary.authorized == money(150))
    }

    @Test(arguments: [ActionStatus.pending, .failed])
    func `what was not raised adds nothing`(status: ActionStatus) {
        let order = order(
            attempt(.authorized), raise(.increase, money(50), status),
            capture("C", .succeeded, money(150)))
        #expect(order.status == .paid && order.flags == [.overCaptured])
        #expect(order.summary.authorized == money(100) && order.amount == money(150))
    }

    @Test func `two captures of the whole are flagged`() {
        let order = order(attempt(.authorized), capture("C1"), capture("C2"))
        #expect(order.status == .paid && order.flags == [.overCaptured])
        #expect(order.summary.captured == money(200))
    }

    @Test func `a raise in another currency adds nothing and is seen`() {
        let order = order(attempt(.authorized), raise(.increase, money(50, "EUR")))
        #expect(order.summary.authorized == money(100))
        #expect(order.flags == [.currencyMismatch])
    }

    @Test func `what was released is less of the raised sum`() {
        let order = order(
            attempt(.authorized), raise(.total, money(150)),
            notification(.reversal(.authorization, id: "V", .succeeded, money(100))))
        #expect(order.status == .authorized && order.summary.authorized == money(50))
    }
}
