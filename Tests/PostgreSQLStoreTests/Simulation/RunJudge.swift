import DatabaseSimulation
import Ledger
import Payments
import Records
import Sealing
import Store
import Synchronization

@testable import JournalStore
@testable import PostgreSQLStore

/// Compares a cluster at the end of a run with the book and with the plain ledger.
struct RunJudge {
    private(set) var violations: [String]
    private let history: History
    private let book: RunBook
    private let database: FaultyDatabase

    init(_ history: History, _ book: RunBook, _ database: FaultyDatabase) {
        self.history = history
        self.book = book
        self.database = database
        violations = book.violations
        for statement in database.unknownStatements {
            violations.append("an unknown statement: \(statement)")
        }
    }

    /// Checks the visible state.
    mutating func judge() {
        let kept = Kept(database.visibleRecords)
        checkSequences(kept, &violations)
        checkBook(kept, &violations)
        checkLedger(kept, &violations)
        checkKeys(kept, &violations)
    }

    /// Checks that nothing is missing after the loss of a primary.
    mutating func judgeAfterFailover() {
        var findings: [String] = []
        let kept = Kept(database.visibleRecords)
        checkSequences(kept, &findings)
        checkBook(kept, &findings)
        checkKeys(kept, &findings)
        violations += findings.map { "after a last failover, \($0)" }
    }

    /// The records in their order, and the notification of each.
    private struct Kept {
        let records: [(sequence: Int64, bytes: [UInt8])]
        let notes: [Int?]

        init(_ records: [(sequence: Int64, bytes: [UInt8])]) {
            self.records = records
            notes = records.map { History.note(in: $0.bytes) }
        }
    }

    private func checkSequences(
        _ kept: Kept, _ findings: inout [String]
    ) {
        let records = kept.records
        if records.map(\.sequence) != Array(0..<Int64(records.count)).map({ $0 + 1 }) {
            findings.append("the sequences are \(records.map(\.sequence))")
        }
        let chain = database.visibleChain
        var hash = [UInt8](repeating: 0, count: 32)
        var rest = records[...]
        for batch in chain.batches {
            let part = rest.prefix(batch.count)
            rest = rest.dropFirst(batch.count)
            hash = RecordChain.hash(
                after: hash, first: UInt64(batch.first), part.map(\.bytes))
            if part.first?.sequence != batch.first || hash != batch.hash {
                findings.append("the chain breaks at the batch from \(batch.first)")
            }
        }
        if hash != chain.head || !rest.isEmpty || chain.sequence != Int64(records.count) {
            findings.append("the head is not that of the last batch")
        }
    }

    private func checkBook(
        _ kept: Kept, _ findings: inout [String]
    ) {
        let places = Dictionary(
            kept.records.indices.map { (UInt64(kept.records[$0].sequence), $0) }
        ) { first, _ in first }
        for (note, sequence) in book.acknowledged {
            guard let place = places[sequence] else {
                findings.append("note \(note) was acknowledged as \(sequence) and is lost")
                continue
            }
            if kept.notes[place] != note {
                findings.append("note \(note) was acknowledged as \(sequence), which is another")
            }
        }
        for note in history.notes.indices {
            let count = kept.notes.count { $0 == note }
            if count != 1 { findings.append("note \(note) is kept \(count) times") }
        }
        for (sequence, bytes) in book.shown
        where places[sequence].map({ kept.records[$0].bytes }) != bytes {
            findings.append("record \(sequence) was shown and is lost or another")
        }
        if book.durableSequence > UInt64(kept.records.count) {
            findings.append("\(book.durableSequence) was called durable")
        }
    }

    /// Checks that the keys of exactly those records are gone that a kept erasure names, and that
    /// all others can be opened.
    private func checkKeys(
        _ kept: Kept, _ findings: inout [String]
    ) {
        guard history.isSealed else { return }
        guard let file = database.visibleKeys,
            let ring = try? KeyRing(unwrapping: file, of: nil, with: History.masters)
        else { return findings.append("there are no keys") }
        var erased = ErasedRecords([])
        for record in kept.records {
            guard let named = (try? RecordDecoder.event(record.bytes))?.action?.erased else {
                continue
            }
            erased.formUnion(named)
        }
        for sequence in book.erasures
        where !kept.records.contains(where: { $0.sequence == Int64(sequence) }) {
            findings.append("the erasure \(sequence) was acknowledged and is lost")
        }
        var opener = RecordOpener(ring)
        for (sequence, bytes) in kept.records where History.note(in: bytes) != nil {
            let opened = (try? opener.open(bytes)) ?? []
            let isErased = opened.firstRange(of: Array(#","erased":"request"}"#.utf8)) != nil
            let isOpen = opened.firstRange(of: Array(#","request":{"#.utf8)) != nil
            if isErased != erased.contains(UInt64(sequence)) || isErased == isOpen {
                findings.append("record \(sequence) is \(isErased ? "" : "not ")erased")
            }
        }
    }

    /// Checks that each reader was shown the orders of the plain ledger, and that the tables have
    /// them at the end.
    private func checkLedger(
        _ kept: Kept, _ findings: inout [String]
    ) {
        var ledger = PlainLedger()
        // By record, the orders that were shown after it.
        let shown = Dictionary(grouping: book.orders) { $0.view.sequences.max() ?? 0 }
        for (note, (sequence, _)) in zip(kept.notes, kept.records) {
            guard let note else {
                ledger.skip()
                continue
            }
            guard ledger.record(history.notes[note]) else {
                findings.append("record \(sequence) counts what was there already")
                continue
            }
            for (reference, view) in shown[UInt64(sequence)] ?? []
            where !view.isSame(as: ledger.order(reference)) {
                findings.append("\(reference) was shown as \(view.order.summary)")
            }
        }
        let references = Set(history.notes.compactMap(\.reference)).sorted()
        let views = database.orders(references)
        for reference in references {
            let (view, plain) = (views[reference], ledger.order(reference))
            let isSame = view?.isSame(as: plain) ?? (plain == nil)
            if !isSame { findings.append("the tables have \(reference) otherwise: \(view as Any)") }
        }
    }
}

extension OrderView {
    fileprivate func isSame(as other: OrderView?) -> Bool {
        order.summary == other?.order.summary && sequences == other?.sequences
    }
}

extension FaultyDatabase {
    /// The orders that the store's own reader finds, on a cluster without faults.
    fileprivate func orders(_ references: [String]) -> [String: OrderView] {
        let found = Mutex<[String: OrderView]>([:])
        run([
            { [self] in
                var environment = DatabaseEnvironment(clock: clock)
                environment.sleep = { self.rest(until: $0) }
                let confirmations = Confirmations(millisecondsMin: 5, environment: environment)
                guard
                    let session = try? ReaderSession(source(0), confirmations, secondsMax: 10)
                else { return }
                for reference in references {
                    let name = OrderKey.reference(endpoint: "shop", reference)
                    guard let view = try? session.order(name) else { continue }
                    found.withLock { $0[reference] = view }
                }
            }
        ])
        return found.withLock { $0 }
    }
}

/// The ledger alone, over the embedded store's memory.
private struct PlainLedger {
    private var tables = StoreTables(function: SipHash(key: (1, 2)))
    private var batch: PendingBatch
    private var sequence: UInt64 = 0

    init() { batch = PendingBatch(function: tables.function, factsMax: 1000) }

    /// Records a notification; false for a duplicate.
    mutating func record(_ notification: Notification) -> Bool {
        let endpoint = tables.endpoints.number(of: "shop")
        let hashes = batch.keys.hashes(of: notification, endpoint)
        sequence += 1
        let decision = batch.decide(notification, hashes, sequence: sequence, in: tables)
        switch consume decision {
        case .duplicate: return false
        case .record(let change):
            batch.accept(change, received: Timestamp(microseconds: Int64(sequence)))
        }
        batch.apply(to: &tables)
        return true
    }

    /// Passes over a record that changes no order.
    mutating func skip() { sequence += 1 }

    func order(_ reference: String) -> OrderView? {
        tables.order(endpoint: "shop", reference: reference)
    }
}
