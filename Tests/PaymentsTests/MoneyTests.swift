import Payments
import Testing

@Suite struct MoneyTests {
    @Test func theOrderIsByCurrencyThenByAmount() {
        #expect(money(1) < money(2))
        #expect(money(9, "EUR") < money(1, "MYR"))
        #expect(!(money(1) < money(1)))
    }
}
