import Payments
import Store
import Testing

/// When an expected order is overdue.
@Suite struct OverdueTests {
    private let now = Timestamp(microseconds: 1_000)

    private func isOverdue(_ status: OrderStatus, _ expires: Int64?) -> Bool {
        Overdue.isOverdue(status, expires.map { Timestamp(microseconds: $0) }, now: now)
    }

    @Test(arguments: OrderStatus.allCases)
    func `an order is overdue after its time, while its status is open`(_ status: OrderStatus) {
        let isOpen = [.pending, .authorized].contains(status)
        #expect(isOverdue(status, 999) == isOpen)
        #expect(!isOverdue(status, 1_000))
        #expect(!isOverdue(status, 1_001))
        #expect(!isOverdue(status, nil))
    }
}
