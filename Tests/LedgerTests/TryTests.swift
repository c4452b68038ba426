import Payments
import TestSupport
import Testing

@testable import Ledger
@testable import Records

/// Several tries of one order: an expectation names the shop's order, and what comes with a try's
/// reference is that order's, whether it came before the registration or after.
@Suite struct TryTests {
    private enum Arrival {
        case registration(String)
        case notification(Notification)
    }

    @Test(arguments: 0..<400 as Range<UInt64>)
    func `the order of arrival does not matter`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let registrations = ["TRY-1", "TRY-2", "SHOP"].map { Arrival.registration($0) }
        let notifications = (0..<Int.random(in: 1...7, using: &generator)).map { number in
            Arrival.notification(Self.notification(number, &generator))
        }
        let first = Self.order(after: registrations + notifications, batches: 1)
        for batches in [1, 3, 100] {
            let shuffled = (registrations + notifications).shuffled(using: &generator)
            let order = Self.order(after: shuffled, batches: batches)
            #expect(order?.order.summary == first?.order.summary)
            #expect(order?.order.reference == "SHOP")
            #expect(order?.order.payable == ["SHOP", "TRY-1", "TRY-2"])
            #expect(order?.sequences.count == first?.sequences.count)
        }
    }

    @Test func `paying two tries is paying twice`() throws {
        let arrivals: [Arrival] = [
            .registration("TRY-1"), .notification(Self.payment("TRY-1", "T1", .paid)),
            .registration("TRY-2"), .notification(Self.payment("TRY-2", "T2", .paid)),
        ]
        let order = try #require(Self.order(after: arrivals, batches: 1)).order
        #expect(order.flags.contains(.paidTwice))
        #expect(!order.flags.contains(.conflict))
    }

    @Test func `one failed try does not hold the paid one`() throws {
        let arrivals: [Arrival] = [
            .registration("TRY-1"), .registration("TRY-2"),
            .notification(Self.payment("TRY-2", "T2", .paid)),
            .notification(Self.payment("TRY-1", "T1", .failed)),
        ]
        let order = try #require(Self.order(after: arrivals, batches: 2)).order
        #expect(order.status == .paid)
        #expect(order.flags.isEmpty)
        #expect(order.summary.captured == Self.money(42))
    }

    @Test func `a try that began an order of its own leaves nothing behind`() throws {
        var memory = DictionaryMemory()
        Self.play(
            [
                .notification(Self.payment("TRY-1", "T1", .pending)), .registration("TRY-2"),
                .registration("TRY-1"),
            ], batches: 100, into: &memory)
        #expect(memory.all.map(\.order.reference) == ["SHOP"])
        #expect(memory.all.first?.sequences == [1, 2, 3])
    }

    @Test func `of a try the shop's order keeps its name`() throws {
        // The second order is a try of the first, and has a try itself.
        var memory = DictionaryMemory()
        var batch = PendingBatch(function: SipHash(key: (1, 2)), factsMax: 100)
        for (number, (reference, order)) in [("B", "C"), ("A", "B"), ("C", "D")].enumerated() {
            try Self.register(reference, of: order, UInt64(number + 1), in: memory, &batch)
            batch.apply(to: &memory)
        }
        #expect(memory.all.map(\.order.reference) == ["D"])
        #expect(memory.all.first?.order.payable == ["A", "B", "C", "D"])
    }

    @Test func `more tries than an order has are refused`() throws {
        var memory = DictionaryMemory()
        var batch = PendingBatch(function: SipHash(key: (1, 2)), factsMax: 100)
        for number in 1..<Order.triesMax {
            try Self.register("TRY-\(number)", of: "SHOP", UInt64(number), in: memory, &batch)
        }
        batch.apply(to: &memory)
        #expect(throws: ActionRefusal.triesFull) {
            try Self.register("TRY-X", of: "SHOP", 100, in: memory, &batch)
        }
    }

    @Test func `a full order takes no try`() throws {
        var memory = DictionaryMemory()
        var batch = PendingBatch(function: SipHash(key: (1, 2)), factsMax: 8)
        try Self.register("TRY-1", of: "SHOP", 1, in: memory, &batch)
        for number in 2...9 as ClosedRange<UInt64> {
            let paid = Self.payment("TRY-1", "T\(number)", .paid)
            Self.note(paid, number, in: memory, &batch)
        }
        batch.apply(to: &memory)
        #expect(memory.all.map(\.order.isFull) == [true])
        #expect(throws: ActionRefusal.orderFull) {
            try Self.register("TRY-2", of: "SHOP", 20, in: memory, &batch)
        }
        // What comes for a try of a full order is counted there.
        Self.note(Self.payment("TRY-1", "T1", .paid), 21, in: memory, &batch)
        Self.note(Self.refund("TRY-1", "R1", of: "T1"), 22, in: memory, &batch)
        batch.apply(to: &memory)
        #expect(memory.all.map(\.order.reference) == ["SHOP"])
        #expect(memory.all.first?.later.last == 22)
    }

    // MARK: Playing

    private static func order(after arrivals: [Arrival], batches: Int) -> StoredOrder? {
        var memory = DictionaryMemory()
        play(arrivals, batches: batches, into: &memory)
        return memory.all.first { $0.order.isNamed("SHOP") }
    }

    /// - Parameter batches: A batch becomes durable after each multiple of it.
    private static func play(
        _ arrivals: [Arrival], batches: Int, into memory: inout DictionaryMemory
    ) {
        var batch = PendingBatch(function: SipHash(key: (1, 2)), factsMax: 100)
        for (number, arrival) in arrivals.enumerated() {
            let sequence = UInt64(number + 1)
            switch arrival {
            case .registration(let reference):
                try? register(reference, of: "SHOP", sequence, in: memory, &batch)
            case .notification(let notification): note(notification, sequence, in: memory, &batch)
            }
            if number % batches == batches - 1 { batch.apply(to: &memory) }
        }
        batch.apply(to: &memory)
    }

    private static func register(
        _ reference: String, of order: String, _ sequence: UInt64, in memory: DictionaryMemory,
        _ batch: inout PendingBatch
    ) throws(ActionRefusal) {
        let registered = RegisteredExpectation(
            expectation: Expectation(amount: money(42)), order: order, metadata: [])
        let decision = batch.decide(
            registered, reference: reference, endpoint: 0, sequence: sequence, in: memory)
        switch consume decision {
        case .record(let change): batch.accept(change, received: Timestamp(microseconds: 0))
        case .refused(let refusal): throw refusal
        case .same: break
        case .differs: break
        }
    }

    private static func note(
        _ notification: Notification, _ sequence: UInt64, in memory: DictionaryMemory,
        _ batch: inout PendingBatch
    ) {
        let hashes = batch.keys.hashes(of: notification, 0)
        let decision = batch.decide(notification, hashes, sequence: sequence, in: memory)
        guard case .record(let change) = consume decision else { return }
        batch.accept(change, received: Timestamp(microseconds: 0))
    }

    private static func money(_ minor: Int64) -> Money {
        Money(minor: minor, currency: Currency("MYR")!)
    }

    private static func payment(
        _ reference: String, _ id: String, _ status: AttemptStatus
    ) -> Notification {
        Notification(
            id: "\(reference)-\(id)-\(status.name)", kind: "payment", status: status.name,
            reference: reference, transaction: id, effect: .attempt(status, money(42)))
    }

    private static func refund(
        _ reference: String?, _ id: String, of transaction: String
    ) -> Notification {
        Notification(
            id: "\(reference ?? "")-\(id)", kind: "refund", status: "succeeded",
            reference: reference, transaction: transaction,
            effect: .refund(id: id, .succeeded, money(1)))
    }

    /// Of the three references, each with payments of its own, and operations that name them by the
    /// payment's id, by the reference, or by both.
    private static func notification(
        _ number: Int, _ generator: inout SeededGenerator
    ) -> Notification {
        let place = Int.random(in: 0..<3, using: &generator)
        let reference = ["TRY-1", "TRY-2", "SHOP"][place]
        if Bool.random(using: &generator) {
            let status = [AttemptStatus.pending, .failed, .paid].randomElement(using: &generator)
            return payment(reference, "T\(place)", status ?? .paid)
        }
        let named = Bool.random(using: &generator) ? reference : nil
        return refund(named, "R\(number)", of: "T\(place)")
    }
}
