import Payments
import TestSupport
import Testing

@testable import Ledger
@testable import Records

/// A store may load what the listed keys lead to before it decides: no decision asks for another
/// key, but for that of a contradiction, and only where the event is known.
@Suite struct LedgerLookupsTests {
    @Test(arguments: 0..<6 as Range<UInt64>)
    func `decisions ask for listed keys only`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var memory = DictionaryMemory()
        var batch = PendingBatch(function: SipHash(key: (1, 2)), factsMax: 20)
        var (hadUnjoined, hadFull, hadConflict) = (false, false, false)
        var seen: Set<KeyHash> = []
        for sequence in 1...400 as ClosedRange<UInt64> {
            memory.asked.keys.withLock { $0 = .init() }
            var lookups = LedgerLookups()
            var isKnown = false
            if sequence % 17 == 0 {
                let reference = "R\(generator.next() % 4)"
                let registered = Self.registered(sequence)
                lookups.add(registered, for: reference, endpoint: 0, &batch.keys)
                register(registered, reference, sequence, in: memory, &batch)
            } else {
                let notification = Self.notification(&generator)
                let hashes = batch.keys.hashes(of: notification, 0)
                lookups.add(notification, hashes, &batch.keys)
                isKnown = lookups.events.isSubset(of: seen)
                if isKnown { lookups.addConflict(notification, hashes, &batch.keys) }
                seen.insert(hashes.event)
                decide(notification, hashes, sequence, in: memory, &batch)
            }
            memory.asked.keys.withLock { asked in
                #expect(asked.events.isSubset(of: lookups.events))
                #expect(asked.orders.isSubset(of: lookups.orders))
                #expect(asked.pointers.isSubset(of: lookups.pointers))
            }
            hadConflict = hadConflict || isKnown && lookups.events.count > 1
            guard generator.next() % 4 == 0 else { continue }
            batch.apply(to: &memory)
            hadUnjoined = hadUnjoined || memory.all.contains { $0.order.reference == nil }
            hadFull = hadFull || memory.all.contains { $0.order.isFull }
        }
        #expect(hadUnjoined)
        #expect(hadConflict)
        #expect(hadFull, "full orders are looked up, too")
    }

    private func decide(
        _ notification: Notification, _ hashes: NotificationHashes, _ sequence: UInt64,
        in memory: DictionaryMemory, _ batch: inout PendingBatch
    ) {
        let decision = batch.decide(notification, hashes, sequence: sequence, in: memory)
        if case .record(let change) = consume decision {
            batch.accept(change, received: Timestamp(microseconds: Int64(sequence)))
        }
    }

    /// Some are tries of an order.
    private static func registered(_ sequence: UInt64) -> RegisteredExpectation {
        RegisteredExpectation(
            expectation: Expectation(
                amount: Money(minor: Int64(sequence % 2), currency: Currency("MYR")!)),
            order: sequence % 3 == 0 ? "R\(sequence % 5)" : nil, metadata: [])
    }

    private func register(
        _ registered: RegisteredExpectation, _ reference: String, _ sequence: UInt64,
        in memory: DictionaryMemory, _ batch: inout PendingBatch
    ) {
        let decision = batch.decide(
            registered, reference: reference, endpoint: 0, sequence: sequence, in: memory)
        if case .record(let change) = consume decision {
            batch.accept(change, received: Timestamp(microseconds: Int64(sequence)))
        }
    }

    /// Few names, so that many of them meet.
    private static func notification(_ generator: inout SeededGenerator) -> Notification {
        func pick(_ words: [String?]) -> String? { words.randomElement(using: &generator) ?? nil }
        let own = pick(["1", "2", "3", "T1", "D", "R-\(generator.next() % 90)"]) ?? ""
        let amount = Money(
            minor: Int64.random(in: 1...2, using: &generator), currency: Currency("MYR")!)
        let effects: [Effect] = [
            .attempt(.paid, amount), .attempt(.authorized, amount),
            .capture(id: own, .succeeded, amount), .refund(id: own, .succeeded, amount),
            .refund(id: own, .pending, amount), .dispute(id: own, .lost, amount),
            .reversal(.operation, id: own, .succeeded, amount), .doubt, .none,
        ]
        return Notification(
            id: "E-\(Int.random(in: 0..<200, using: &generator))", kind: "kind",
            status: "status",
            reference: pick([nil, nil, "R1", "R2", "R3", "R4"]),
            alias: pick([nil, nil, nil, nil, "A1", "R1"]),
            transaction: pick([nil, "T1", "T2", "T3", "T4", "1", "D"]),
            effect: effects.randomElement(using: &generator) ?? .doubt)
    }
}
