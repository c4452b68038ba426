import Journal
import JournalStore
import Ledger
import Payments
import PostgreSQLStore
import Records

/// One run of an export: appends to a journal the records that it lacks.
struct JournalExport {
    struct Outcome {
        var store: String
        /// Number of records that this run has copied.
        var exported: UInt64 = 0
        /// The journal's last sequence.
        var last: UInt64 = 0
        /// The journal's first sequence.
        var first: UInt64 = 1
    }

    private let directory: String
    private let exporter: DatabaseExporter
    private let options: JournalOptions

    /// Number of records per frame, and of bytes; more only while the events of one request follow.
    private static let recordsMax = 1000
    private static let frameBytesMax = 2 << 20

    init(_ reader: PortionReader, to directory: String, segmentMiB: Int) {
        self.directory = directory
        exporter = DatabaseExporter(reader)
        var options = JournalOptions()
        options.segmentBytes = segmentMiB << 20
        self.options = options
    }

    /// Runs the export. `progress` receives the numbers of records copied and in all. Throws
    /// `DatabaseFailure` and `JournalError`.
    func run(progress: (Int, Int) -> Void) throws -> Outcome {
        let extent = try exporter.extent()
        let found = try look(extent)
        var outcome = Outcome(store: extent.store, last: extent.head)
        outcome.first = found?.lowerBound ?? extent.first
        let keys = try exporter.keys()
        if let keys, found != nil { try KeysFile.write(keys, in: directory) }
        var memory = SnapshotMemory()
        var last = extent.head
        if outcome.first > 1 {
            let snapshot = try SnapshotFile.list(directory: directory, isThere: found != nil)
            if found?.upperBound == extent.head, snapshot == extent.head { return outcome }
            try exporter.read(into: &memory)
            last = memory.head
        } else if found?.upperBound == extent.head || extent.head == 0 && found != nil {
            return outcome
        }
        try note(extent.store, last)
        let journal = try open(outcome.first, extent)
        defer { journal.close() }
        if let keys {
            try KeysFile.write(keys, in: directory)
            try journal.noteSealing()
        }
        let before = journal.durableSequence
        guard before == found?.upperBound ?? (outcome.first - 1) else {
            throw JournalError.copyRefused(
                "\(directory) continues after \(before), but not with these records: "
                    + "export into another directory")
        }
        try exporter.forEachRecord(after: before, through: last) { record in
            let isDue =
                journal.pendingCount >= Self.recordsMax
                || journal.pendingBytes.count >= Self.frameBytesMax
            // Retention removes a segment with all events of a request, because they are in one
            // frame.
            if journal.isFrameFull || isDue && !Self.isPart(record) {
                try journal.commit()
                progress(Int(journal.durableSequence), Int(last))
            }
            try journal.append { $0 += record }
        }
        try journal.commit()
        try memory.builder?.write(to: journal)
        outcome.last = journal.durableSequence
        outcome.exported = outcome.last - before
        return outcome
    }

    /// Whether the record refers to another one for its request.
    private static func isPart(_ record: [UInt8]) -> Bool {
        record.withUnsafeBytes { (try? RecordReader($0, []))?.part?.holder != nil }
    }

    /// The sequences that the journal has already; nil if it has none. Throws if it is another
    /// journal, or has another history.
    private func look(_ extent: DatabaseExporter.Extent) throws -> ClosedRange<UInt64>? {
        let place = PriorUse.beside(directory)
        if let prior = try? JournalNote.read("\(place.folder)/\(place.name)"),
            "\(prior.store)" != extent.store
        {
            throw refused(
                "the journal \(prior.store) was used there (\(place.folder)/\(place.name))")
        }
        guard let note = try JournalNote.find(directory) else {
            guard try JournalHold.isFree(directory) else {
                throw refused("it is not empty and holds no journal")
            }
            return nil
        }
        guard "\(note.store)" == extent.store else {
            throw refused(
                "it holds the journal \(note.store), and the database the record \(extent.store)")
        }
        guard let span = try JournalStatistics.read(directory: directory).span else { return nil }
        guard span.upperBound <= extent.head else {
            throw refused(
                "its journal ends at \(span.upperBound), but the database at "
                    + "\(extent.head): it was written to since")
        }
        guard span.upperBound + 1 >= extent.first else {
            throw refused(
                "its journal ends with \(span.upperBound), and the database begins with "
                    + "\(extent.first)")
        }
        var reader = try JournalReader(
            directory: directory, after: span.upperBound - 1, followsChain: false)
        var record: [UInt8]?
        _ = try reader.read(limit: 1) { _, bytes in record = [UInt8](bytes) }
        if let theirs = try exporter.record(span.upperBound), theirs != record {
            throw refused(
                "its record \(span.upperBound) is another one than the database's: both were "
                    + "written to")
        }
        return span
    }

    private func refused(_ reason: String) -> JournalError {
        .copyRefused("\(directory): \(reason); name an empty directory")
    }

    /// Writes the final sequence to a file beside the directory: a server refuses to open the
    /// journal before the export is complete.
    private func note(_ store: String, _ last: UInt64) throws {
        guard let identity = StoreIdentity(hexadecimal: store) else { return }
        var note = JournalNote(store: identity)
        note.sequence = last
        let place = PriorUse.beside(directory)
        do { try note.write(place.name, in: place.folder) } catch {
            throw JournalError.copyRefused(
                "\(place.folder)/\(place.name) cannot be written: \(error); make its folder, or "
                    + "let this user write there")
        }
    }

    private func open(
        _ first: UInt64, _ extent: DatabaseExporter.Extent
    ) throws(JournalError) -> JournalWriter {
        var options = options
        options.identity = StoreIdentity(hexadecimal: extent.store)
        options.assumedThrough = first - 1
        return try JournalWriter.open(directory: directory, options: options) { _, _ in }
    }
}

/// The state of the records deleted by retention, for a snapshot in the journal.
private struct SnapshotMemory: DatabaseExporter.Memory {
    var builder: SnapshotBuilder?
    var head: UInt64 = 0

    mutating func begin(
        function: SipHash, endpoints: [String], head: UInt64
    ) throws(DatabaseFailure) {
        self.head = head
        builder = SnapshotBuilder(function: function, endpoints: endpoints, sequence: head)
    }

    mutating func remember(_ key: KeyHash, _ event: KnownEvent) { builder?.remember(key, event) }

    mutating func add(_ order: StoredOrder, under key: KeyHash) { builder?.add(order, under: key) }

    mutating func note(_ sequence: UInt64, received: Timestamp) {
        builder?.note(sequence, received: received)
    }
}

extension SnapshotFile {
    /// The last sequence of the newest valid snapshot; nil if there is none.
    fileprivate static func list(directory: String, isThere: Bool) throws -> UInt64? {
        isThere ? try newestGood(directory: directory)?.point.sequence : nil
    }
}
