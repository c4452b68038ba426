import Testing

@testable import Payments

@Suite struct RisingStatusTests {
    @Test func `statuses rise in the order of the design`() {
        let attempts: [AttemptStatus] = [
            .pending, .tryFailed, .unconfirmed, .authorized, .expired, .canceled, .failed, .paid,
        ]
        #expect(AttemptStatus.allCases.sorted() == attempts)
        #expect(attempts.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7])
        #expect(ActionStatus.allCases.sorted() == [.pending, .failed, .succeeded])
        #expect(DisputeStatus.allCases.sorted() == [.open, .closed, .won, .lost])
    }

    @Test func `every status has a name of its own`() {
        #expect(Set(AttemptStatus.allCases.map(\.name)).count == AttemptStatus.allCases.count)
        #expect(Set(ActionStatus.allCases.map(\.name)).count == ActionStatus.allCases.count)
        #expect(Set(DisputeStatus.allCases.map(\.name)).count == DisputeStatus.allCases.count)
    }

    @Test func `beside each other attempts rank as the order's payment`() {
        #expect(
            Payment.allCases.sorted().map(\.attempt) == [
                .expired, .canceled, .failed, .pending, .authorized, .paid,
            ])
        for status in AttemptStatus.allCases where status != .tryFailed && status != .unconfirmed {
            #expect(Payment(status).attempt == status)
            #expect(Payment(status).name == status.name)
        }
        #expect(Payment(.tryFailed) == .failed)
        #expect(Payment(.unconfirmed) == .pending)
    }

    @Test(arguments: AttemptStatus.allCases, AttemptStatus.allCases)
    func `the payment of two attempts is the better one`(
        first: AttemptStatus, second: AttemptStatus
    ) {
        let best = Payment.best(of: [first, second])
        #expect(best == max(Payment(first), Payment(second)))
        #expect(Payment.best(of: [AttemptStatus]()) == nil)
    }
}
