import Journal
import JournalStore
import Ledger
import Payments
import PostgreSQL
import PostgreSQLStore
import Records
import Sealing

/// One run of an import: checks the whole journal, then copies the records that the tables lack.
struct JournalImport {
    struct Outcome {
        var store: String
        /// Number of records that this run has copied.
        var imported: UInt64 = 0
        /// The last sequence of the tables.
        var last: UInt64 = 0
        /// Whether servers may use the tables.
        var isFinished = true
    }

    private let directory: String
    private var importer: DatabaseImporter
    /// The lock on the journal, if no server holds it, so that none starts to write meanwhile.
    private let hold: JournalHold?
    private let note: JournalNote
    private let masters: [MasterKey]

    /// Maximum number of records per transaction, and their bytes.
    private static let recordsMax = 1000
    private static let bytesMax = 4 << 20
    /// Number of rows per statement that copies a snapshot.
    private static let rowsMax = 5000

    init(
        _ directory: String, into connection: PostgresConnection, schema: String, factsMax: Int,
        masters: [MasterKey]
    ) throws {
        self.directory = directory
        self.masters = masters
        importer = DatabaseImporter(connection, schema: schema, factsMax: factsMax)
        guard let note = try JournalNote.find(directory) else {
            throw JournalError.absent(directory: directory)
        }
        self.note = note
        do throws(JournalError) { hold = try JournalHold(directory) } catch {
            guard case .locked = error else { throw error }
            hold = nil
        }
    }

    /// Records to read: with a running server only durable ones.
    private var extent: JournalReader.Extent { hold == nil ? .durable : .whole }

    /// Runs the import. `progress` receives the numbers of records copied and in all.
    mutating func run(progress: (Int, Int) -> Void) throws -> Outcome {
        var survey = try JournalSurvey(directory)
        if hold == nil { survey.span = try durableSpan(of: survey.span) }
        var erased = survey.erased
        if survey.span?.lowerBound ?? 1 > 1, let memory = try JournalMemory(directory: directory) {
            erased.formUnion(memory.erased)
        }
        let keys = try SealedJournal.keys(directory, without: erased, masters)
        guard keys != nil || note.sealedFrom == nil else {
            throw JournalError.copyRefused(
                "\(directory) has sealed records and no file `\(KeysFile.name)`: put it there")
        }
        let source = DatabaseImporter.Source(
            store: "\(note.store)", span: survey.span, corrections: survey.corrected, keys: keys)
        var outcome = Outcome(store: source.store)
        let directory = directory
        let start = try importer.begin(source) { try Self.record($0, of: directory) }
        var after: UInt64
        switch start {
        case .complete(let head):
            outcome.last = head
            return outcome
        case .seed:
            let first = survey.span?.lowerBound ?? 1
            (after, outcome.imported) = try seed(first, survey, progress)
        case .after(let head): after = head
        }
        let last = survey.span?.upperBound ?? 0
        var corrections = KnownCorrections(survey.corrections)
        try forEachPortion(after: after, through: last) { portion in
            try importer.add(portion, &corrections)
            after = portion.last?.sequence ?? after
            outcome.imported += UInt64(portion.count)
            progress(Int(after), Int(last))
        }
        outcome.last = after
        outcome.isFinished = hold != nil
        if outcome.isFinished { try importer.finish() }
        return outcome
    }

    /// The sequences that are durable: a running server may have begun a frame.
    private func durableSpan(of span: ClosedRange<UInt64>?) throws -> ClosedRange<UInt64>? {
        guard let span else { return nil }
        var reader = try JournalReader(
            directory: directory, after: span.lowerBound - 1, extent: .durable,
            followsChain: false)
        var last = span.lowerBound - 1
        _ = try reader.read { sequence, _ in last = sequence }
        return last < span.lowerBound ? nil : span.lowerBound...min(last, span.upperBound)
    }

    private static func record(_ sequence: UInt64, of directory: String) throws -> [UInt8]? {
        var reader = try JournalReader(
            directory: directory, after: sequence - 1, followsChain: false)
        var found: [UInt8]?
        _ = try reader.read(limit: 1) { place, bytes in
            if place == sequence { found = [UInt8](bytes) }
        }
        return found
    }

    private func forEachPortion(
        after sequence: UInt64, through last: UInt64, _ body: ([ImportedRecord]) throws -> Void
    ) throws {
        guard sequence < last else { return }
        var reader = try JournalReader(directory: directory, after: sequence, extent: extent)
        var portion: [ImportedRecord] = []
        var bytes = 0
        _ = try reader.read(limit: Int(last - sequence)) { place, record in
            portion.append(try ImportedRecord(record, sequence: place))
            bytes += record.count
            guard portion.count == Self.recordsMax || bytes >= Self.bytesMax else { return }
            try body(portion)
            portion.removeAll(keepingCapacity: true)
            bytes = 0
        }
        if !portion.isEmpty { try body(portion) }
    }
}

// A journal whose first records were deleted by retention.
extension JournalImport {
    /// Copies the snapshot and the events up to it. Returns the sequence up to which everything is
    /// copied, and the number of events written.
    private func seed(
        _ first: UInt64, _ survey: JournalSurvey, _ progress: (Int, Int) -> Void
    ) throws -> (through: UInt64, written: UInt64) {
        guard let memory = try JournalMemory(directory: directory), memory.sequence >= first - 1
        else {
            throw JournalError.copyRefused(
                "\(directory): the records before \(first) are gone, and no good snapshot covers "
                    + "them: restore the missing segments or a snapshot from a backup")
        }
        let seed = DatabaseImporter.Seed(
            sequence: memory.sequence, function: memory.function, endpoints: memory.endpoints,
            ages: memory.ages)
        if let late = survey.corrected.first(where: {
            $0.value > seed.sequence && $0.key <= seed.sequence
        }) {
            throw JournalError.copyRefused(
                "\(directory): record \(late.value) corrects \(late.key), and the journal's "
                    + "beginning is gone: let a server open the journal once, which writes a "
                    + "snapshot")
        }
        let wanted = try importer.beginSeed(seed, first: first)
        var written: UInt64 = 0
        try forEachPortion(after: wanted - 1, through: seed.sequence) { portion in
            try importer.seed(portion, seed)
            written += UInt64(portion.count)
            progress(Int(portion.last?.sequence ?? 0), Int(survey.span?.upperBound ?? 0))
        }
        try seedMemory(memory, seed, try remarks(memory, after: first - 1))
        try importer.endSeed(seed)
        return (seed.sequence, written)
    }

    private typealias Remark = (transaction: String?, metadata: String?)

    /// The facts about orders that only their remaining records hold.
    private func remarks(
        _ memory: JournalMemory, after sequence: UInt64
    ) throws -> [KeyHash: Remark] {
        var remarks: [KeyHash: Remark] = [:]
        var reader = try JournalReader(directory: directory, after: sequence, followsChain: false)
        guard memory.sequence > sequence else { return [:] }
        _ = try reader.read(limit: Int(memory.sequence - sequence)) { _, record in
            let row = try OrderRow(RecordReader(record, [.event, .order]))
            let metadata = row?.registered?.metadata.text
            guard let row, row.transaction != nil || metadata != nil,
                let key = memory.orderKey(
                    endpoint: row.endpoint, reference: row.reference, transaction: row.transaction)
            else { return }
            let transaction = row.transaction
            let before = remarks[key]
            remarks[key] = (transaction ?? before?.transaction, metadata ?? before?.metadata)
        }
        return remarks
    }

    private func seedMemory(
        _ memory: JournalMemory, _ seed: DatabaseImporter.Seed, _ remarks: [KeyHash: Remark]
    ) throws {
        var events: [(KeyHash, KnownEvent)] = []
        try memory.forEachEvent { key, event in
            events.append((key, event))
            guard events.count == Self.rowsMax else { return }
            try importer.seed(events)
            events.removeAll(keepingCapacity: true)
        }
        if !events.isEmpty { try importer.seed(events) }
        var orders: [DatabaseImporter.SeededOrder] = []
        try memory.forEachOrder { key, stored in
            let remark = remarks[key]
            orders.append(
                DatabaseImporter.SeededOrder(
                    key: key, stored: stored, transaction: remark?.transaction,
                    metadata: remark?.metadata))
            guard orders.count == Self.rowsMax else { return }
            try importer.seed(orders, seed)
            orders.removeAll(keepingCapacity: true)
        }
        if !orders.isEmpty { try importer.seed(orders, seed) }
    }
}

/// A full reading of a journal before the import: verifies it, and finds its extent and its
/// corrections.
struct JournalSurvey {
    var span: ClosedRange<UInt64>?
    /// The sequence of the newest correction of each corrected record.
    private(set) var corrected: [UInt64: UInt64] = [:]
    private(set) var corrections: [UInt64: Notification] = [:]
    private(set) var erased = ErasedRecords([])

    /// Throws `JournalError.damaged`, and `RecordError`.
    init(_ directory: String) throws {
        var verifier = JournalVerifier(directory: directory)
        var newest: [UInt64: (UInt64, Notification)] = [:]
        var erased = ErasedRecords([])
        let verification = try verifier.run(progress: { _, _ in }) { sequence, record in
            let event = try RecordDecoder.event(record)
            if let records = event.action?.erased { erased.formUnion(records) }
            if let corrects = event.corrects { newest[corrects] = (sequence, event.notification) }
        }
        if let damage = verification.damage { throw JournalError.damaged(damage) }
        self.erased = erased
        span = verification.span
        corrected = newest.mapValues(\.0)
        corrections = newest.mapValues(\.1)
    }
}

extension [UInt8] {
    /// The bytes as text; nil when there are none.
    fileprivate var text: String? { isEmpty ? nil : String(decoding: self, as: UTF8.self) }
}
