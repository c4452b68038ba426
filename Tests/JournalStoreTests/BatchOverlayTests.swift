import Ledger
import Payments
import Store
import TestSupport
import Testing

@testable import JournalStore
@testable import Records

/// What a batch lays over the tables is what the tables would say: the same notifications make the
/// same orders however many of them share a batch, and when the journal is read again.
@Suite struct BatchOverlayTests {
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `how many share a batch does not show`(block: UInt64) {
        for seed in block * 50..<(block + 1) * 50 {
            var generator = SeededGenerator(seed: seed)
            // An endpoint's provider has one kind of ids.
            let ids = IDSpace.allCases[Int(seed % 3)]
            let row = (0..<14).map { _ in Self.notification(&generator, ids) }
            var single = Books()
            var whole = Books()
            var mixed = Books()
            for notification in row {
                single.record(notification, endsBatch: true)
                whole.record(notification, endsBatch: false)
                mixed.record(notification, endsBatch: Bool.random(using: &generator))
            }
            whole.endBatch()
            mixed.endBatch()
            let orders = single.orders
            #expect(whole.orders == orders, "seed \(seed): in one batch")
            #expect(mixed.orders == orders, "seed \(seed): in some batches")
            #expect(single.replayed().orders == orders, "seed \(seed): read again")
            for books in [single, whole, mixed, single.replayed()] {
                #expect(books.tables.orderCount == orders.count, "seed \(seed)")
                #expect(books.lostNames.isEmpty, "seed \(seed)")
            }
        }
    }

    /// What is taken back out of a batch leaves no trace, in the batch and in the tables.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `what is taken back leaves no trace`(block: UInt64) {
        for seed in block * 50..<(block + 1) * 50 {
            var generator = SeededGenerator(seed: seed)
            let ids = IDSpace.allCases[Int(seed % 3)]
            var plain = Books()
            var marked = Books()
            for _ in 0..<8 {
                let row = (0..<3).map { _ in Self.notification(&generator, ids) }
                let isKept = Bool.random(using: &generator)
                marked.mark()
                for notification in row {
                    marked.record(notification, endsBatch: false)
                    if isKept { plain.record(notification, endsBatch: false) }
                }
                if isKept { marked.keepMarked() } else { marked.takeBackMarked() }
                guard generator.once(in: 3) else { continue }
                plain.endBatch()
                marked.endBatch()
            }
            plain.endBatch()
            marked.endBatch()
            #expect(marked.orders == plain.orders, "seed \(seed)")
            #expect(marked.tables.orderCount == plain.tables.orderCount, "seed \(seed)")
            #expect(marked.tables.eventCount == plain.tables.eventCount, "seed \(seed)")
            #expect(marked.lostNames.isEmpty, "seed \(seed)")
        }
    }

    /// An order is found by what the batch has added to it, though its name led to it before.
    @Test(arguments: [true, false])
    func `what the batch added is looked at`(sharesBatch: Bool) {
        var books = Books()
        books.record(Samples.payment("E-1"), endsBatch: true)
        var refund = Samples.refund("E-2")
        refund.alias = "REFUND-1"
        books.record(refund, endsBatch: true)
        // From now on something refers to the refund's id.
        let named = Samples.refund("E-3", refund: "REF-2", reference: "REFUND-1")
        books.record(named, endsBatch: !sharesBatch)
        let taken = Notification(
            id: "E-4", kind: "reversal", status: "succeeded", transaction: "REF-1",
            effect: .reversal(.operation, id: "V-1", .succeeded, Samples.money(4200)),
            ids: .anything)
        books.record(taken, endsBatch: !sharesBatch)
        books.record(
            Samples.refund("E-5", refund: "REF-3", reference: "REFUND-1", transaction: nil),
            endsBatch: !sharesBatch)
        books.record(
            Samples.refund("E-6", refund: "REF-4", reference: "OTHER", transaction: nil),
            endsBatch: true)
        // An alias finds the order and decides nothing.
        #expect(books.tables.orderCount == 3)
        for (reference, sequences) in [
            ("REQ-1", [1, 2, 3, 4]), ("REFUND-1", [5]), ("OTHER", [6]),
        ] as [(String, [UInt64])] {
            let order = books.tables.order(endpoint: "e", reference: reference)
            #expect(order?.sequences == sequences)
        }
    }

    /// Refunds that are counted from 1 for each payment, before any payment is known.
    @Test(arguments: [true, false])
    func `operations of one id are kept apart`(sharesBatch: Bool) {
        var books = Books()
        for (number, payment) in ["PAY-1", "PAY-2", "PAY-3"].enumerated() {
            books.record(
                Samples.refund("E-\(number)", refund: "1", transaction: payment),
                endsBatch: !sharesBatch)
        }
        books.record(Samples.payment("E-4"), endsBatch: true)
        #expect(books.tables.orderCount == 3)
        #expect(
            books.tables.order(endpoint: "e", reference: "REQ-1")?.order.status == .refunded)
    }

    /// An operation that names only itself is where its id was reported before.
    @Test(arguments: [true, false])
    func `an operation is found by its own id alone`(sharesBatch: Bool) {
        var books = Books()
        books.record(Samples.payment("E-1"), endsBatch: !sharesBatch)
        books.record(Samples.refund("E-2", minor: 1000), endsBatch: !sharesBatch)
        books.record(Samples.refund("E-3", transaction: nil, minor: 1000), endsBatch: true)
        #expect(books.tables.orderCount == 1)
        #expect(
            books.tables.order(endpoint: "e", reference: "REQ-1")?.sequences == [1, 2, 3])
    }

    /// Few names, so that many of them meet.
    static func notification(
        _ generator: inout SeededGenerator, _ ids: IDSpace
    ) -> Notification {
        func pick(_ words: [String?]) -> String? { words.randomElement(using: &generator) ?? nil }
        var own = pick(["1", "2", "3", "T1", "D"]) ?? ""
        var transaction = pick([nil, "T1", "T2", "T3", "T4", "1", "D"])
        if ids == .anything {
            // An operation has one id in the account, and is of one payment.
            let place = Int.random(in: 1...4, using: &generator)
            own = "\(place)@\(Int.random(in: 1...2, using: &generator))"
            transaction = pick(["T\(place)", "T\(place)", nil])
            if Bool.random(using: &generator) {
                own += "+"
                transaction = pick(["\(place)@1", "\(place)@2"])
            }
        }
        let amount = Samples.money(Int64.random(in: 1...2, using: &generator))
        let effects: [Effect] = [
            .attempt(.paid, amount), .attempt(.authorized, amount),
            .capture(id: own, .succeeded, amount), .refund(id: own, .succeeded, amount),
            .refund(id: own, .pending, amount), .dispute(id: own, .lost, amount),
            .reversal(.operation, id: own, .succeeded, amount), .doubt,
        ]
        return Notification(
            id: "E-\(Int.random(in: 0..<40, using: &generator))", kind: "kind", status: "status",
            reference: pick([nil, nil, "R1", "R2", "R3", "R4"]),
            alias: pick([nil, nil, nil, nil, "A1", "R1"]),
            transaction: transaction,
            effect: effects.randomElement(using: &generator) ?? .doubt,
            ids: ids)
    }
}

/// A ledger without journal and threads, and what it would have written.
private struct Books {
    private(set) var tables = StoreTables(function: SipHash(key: (1, 2)))
    private var batch: PendingBatch
    private var recorded: [RecordedEvent] = []
    private var markedCount = 0

    init() { batch = PendingBatch(function: tables.function, factsMax: 1000) }

    mutating func record(_ notification: Notification, endsBatch: Bool) {
        let endpoint = tables.endpoints.number(of: "e")
        let hashes = batch.keys.hashes(of: notification, endpoint)
        let sequence = UInt64(recorded.count + 1)
        let received = Timestamp(microseconds: Int64(sequence))
        let decision = batch.decide(notification, hashes, sequence: sequence, in: tables)
        switch consume decision {
        case .duplicate: break
        case .record(let change):
            recorded.append(
                RecordedEvent(
                    sequence: sequence, received: received, endpoint: "e", provider: "p", key: "1",
                    outcome: change.content.outcome, conflictsWith: change.content.conflictsWith,
                    notification: notification))
            batch.accept(change, received: received)
        }
        if endsBatch { endBatch() }
    }

    mutating func endBatch() { batch.apply(to: &tables) }

    mutating func mark() {
        batch.mark()
        markedCount = recorded.count
    }

    mutating func keepMarked() { batch.keepMarked() }

    mutating func takeBackMarked() {
        batch.takeBackMarked()
        recorded.removeLast(recorded.count - markedCount)
    }

    /// The tables that the records alone make.
    func replayed() -> Books {
        var ledger = JournalLedger(StoreTables(function: tables.function), factsMax: 1000)
        for event in recorded {
            var one: [RecordedEvent?] = [event]
            ledger.apply(&one, 0..<1)
        }
        var books = Books()
        books.tables = ledger.tables
        return books
    }

    /// Every order, by the first of its records.
    var orders: [OrderView] {
        let named = ["R1", "R2", "R3", "R4"].compactMap { reference in
            let view = tables.order(endpoint: "e", reference: reference)
            return view?.order.reference == reference ? view : nil
        }
        return (named + tables.unjoined).sorted {
            $0.sequences.lexicographicallyPrecedes($1.sequences)
        }
    }

    /// The ids and aliases of orders that do not lead to them.
    var lostNames: [String] {
        var lost: [String] = []
        let endpoint = tables.endpoints.known("e") ?? 0
        let keys = KeyMaker(function: tables.function)
        for order in orders.map(\.order) {
            func find(_ name: String, _ key: KeyHash, _ question: OrderQuestion) {
                var isFound = false
                tables.forEachOrder(
                    pointedAtBy: key, endpoint: endpoint, question, except: { _ in false }
                ) { found in
                    if case .open(let stored) = found, stored.order == order {
                        isFound = true
                    }
                }
                if !isFound { lost.append(name) }
            }
            for id in order.ids { find(id, keys.transaction(endpoint, id), .holds(id)) }
            for alias in order.aliases {
                find(alias, keys.reference(endpoint, alias), .isKnown(alias, .alias))
            }
        }
        return lost
    }
}
