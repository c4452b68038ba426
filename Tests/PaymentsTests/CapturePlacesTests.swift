import Payments
import Testing

/// Tests each row of the table at `CapturePlaces` through the resulting order.
@Suite struct CapturePlacesTests {
    private static let nameless = capture("C", .succeeded, money(60), transaction: nil)

    /// A partial capture outranks the report of `paid`.
    @Test(arguments: [.authorized, .paid] as [AttemptStatus])
    func `a capture without an id is of the only payment`(status: AttemptStatus) {
        let order = order(attempt(status), Self.nameless)
        #expect(order.status == .paid && order.flags == [.partiallyCaptured])
        #expect(order.amount == money(60) && order.summary.captured == money(60))
        #expect(order.summary.authorized == money(100))
        let whole = PaymentsTests.order(
            attempt(status), Self.nameless, capture("C2", .succeeded, money(40)))
        #expect(whole.amount == money(100) && whole.flags.isEmpty)
    }

    @Test(arguments: [.expired, .canceled, .failed] as [AttemptStatus])
    func `an attempt that came to nothing has no captures`(status: AttemptStatus) {
        let other = order(
            attempt(.paid), attempt(status, transaction: "T2"), Self.nameless)
        #expect(other.amount == money(60) && other.flags == [.partiallyCaptured])
        let alone = order(attempt(status), Self.nameless)
        #expect(alone.status == .paid && alone.amount == money(60))
        // The capture may belong to the earlier authorisation.
        let ended = order(attempt(.authorized), attempt(status), Self.nameless)
        #expect(ended.status == .paid && ended.summary.authorized == money(100))
        #expect(ended.flags.contains(.partiallyCaptured))
    }

    @Test func `a capture that failed outranks a report of paid too`() {
        let failed = capture("C", .failed, money(60), transaction: nil)
        let order = order(attempt(.paid), failed)
        #expect(order.status == .authorized && order.flags == [.captureFailed])
        #expect(order.summary.captured == money(0))
        // Also if the payment was reported both with and without its id.
        let both = PaymentsTests.order(
            attempt(.authorized), attempt(.paid, transaction: nil), failed)
        #expect(both.status == .authorized && both.flags == [.captureFailed])
    }

    @Test(arguments: [.succeeded, .failed, .pending] as [ActionStatus])
    func `of one of two payments nobody knows the sum`(status: ActionStatus) {
        let placeless = capture("C", status, money(60), transaction: nil)
        for other in [AttemptStatus.paid, .authorized, .pending] {
            let order = order(
                attempt(.paid), attempt(other, money(50), transaction: "T2"), placeless)
            #expect(order.status == .review && order.flags.contains(.captureAmbiguous))
            #expect(order.amount == nil && order.summary.captured == nil)
        }
    }

    @Test func `of two authorisations the sum is the same`() {
        let held = [attempt(.authorized), attempt(.authorized, money(50), transaction: "T2")]
        let order = order(held + [Self.nameless])
        #expect(order.status == .paid && order.amount == money(60))
        #expect(order.flags == [.partiallyCaptured] && order.summary.authorized == money(150))
        let more = PaymentsTests.order(
            held + [Self.nameless, capture("C2", .succeeded, money(30), transaction: "T2")])
        #expect(more.status == .paid && more.amount == money(90))
        // Whether the rest is released or money is returned depends on the attempt of the captures.
        for parent in ["T", nil] {
            let reversal = notification(
                .reversal(.operation, id: "V", .succeeded, money(30)), transaction: parent)
            let reversed = PaymentsTests.order(held + [Self.nameless, reversal])
            #expect(reversed.status == .review && reversed.flags.contains(.reversalAmbiguous))
        }
    }

    @Test func `a capture that its attempt has too is no other's`() {
        let named = capture("C", .succeeded, money(60), transaction: "T2")
        let order = order(
            attempt(.paid), attempt(.authorized, transaction: "T2"), named, Self.nameless)
        #expect(order.status == .paid && order.amount == money(160))
        let failed = capture("C", .failed, money(60), transaction: nil)
        let contradicted = PaymentsTests.order(attempt(.authorized), Self.named, failed)
        #expect(contradicted.flags == [.contradicted, .partiallyCaptured])
    }

    private static let named = capture("C", .succeeded, money(60))

    @Test func `one capture of two payments was taken of one of them`() {
        let order = order(
            attempt(.authorized), attempt(.authorized, transaction: "T2"), Self.named,
            capture("C", .succeeded, money(60), transaction: "T2"))
        #expect(order.status == .review && order.flags.contains(.captureAmbiguous))
        #expect(order.amount == nil)
    }

    @Test func `what is expected is compared with all captures`() {
        let notifications = [
            attempt(.authorized), Self.nameless, capture("C2", .succeeded, money(40)),
        ]
        let order = order(notifications).registering(Registration(amount: money(100)))
        #expect(order.status == .paid && !order.contradictsExpectation)
    }

    @Test func `a payment without an id is one of those that have one or it is for a person`() {
        let nameless = attempt(.paid, money(50), transaction: nil)
        let rival = order(attempt(.paid), nameless)
        #expect(rival.status == .review && rival.flags == [.amountsDiffer])
        #expect(rival.amount == money(100) && rival.summary.claims == [money(50), money(100)])
        // The sum of both, or the amount that one of them authorised.
        let sum = order(
            attempt(.paid, money(30)), attempt(.paid, money(20), transaction: "T2"), nameless)
        #expect(sum.status == .paid && sum.amount == money(50))
        let captured = order(
            attempt(.authorized, money(50)), capture("C", .succeeded, money(20)),
            nameless)
        #expect(captured.status == .paid && captured.amount == money(20))
    }
}
