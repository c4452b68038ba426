import Journal
import Records
import Sealing

/// Copies a journal into a new one of the same identity and sequences, whose records are sealed
/// with new keys or stored as they are.
///
/// Erased records stay erased. The chain of hashes is another one, because the records have other
/// bytes.
package struct JournalRewrite {
    package struct Outcome: Sendable, Equatable {
        package var store: String
        package var records = 0
        /// Those whose keys were destroyed.
        package var erased = 0
        /// The last sequence; 0 without records.
        package var last: UInt64 = 0
    }

    /// Records in a frame, and bytes; more only while the events of one request follow.
    private static let recordsMax = 1000
    private static let frameBytesMax = 2 << 20

    private let source: String
    private let destination: String
    private let masters: [MasterKey]
    private let seals: Bool
    private let options: JournalOptions

    /// - Parameters:
    ///   - masters: The keys that open the source, and of which the first wraps the new keys.
    ///   - seals: Whether the new journal is sealed.
    package init(
        of source: String, to destination: String, _ masters: [MasterKey], seals: Bool,
        options: JournalOptions = .init()
    ) {
        self.source = source
        self.destination = destination
        self.masters = masters
        self.seals = seals
        self.options = options
    }

    /// Runs it. Throws `absent`, `locked` while a server uses the source, `copyRefused` if the
    /// destination is not empty or records are sealed with keys that are not here, `keys`, and what
    /// reading and writing throw.
    package func run(progress: (Int, Int) -> Void) throws -> Outcome {
        guard let note = try JournalNote.find(source) else {
            throw JournalError.absent(directory: source)
        }
        let hold = try JournalHold(source)
        defer { withExtendedLifetime(hold) {} }
        guard try JournalHold.isFree(destination) else {
            throw JournalError.copyRefused("\(destination) is not empty; name a new directory")
        }
        let opener = try SealedJournal.opener(source, masters)
        guard opener != nil || note.sealedFrom == nil else {
            throw JournalError.keys(
                reason: "master_key_missing",
                detail: "\(source): records are sealed; name the configuration with their "
                    + "`personal.masterKeys`")
        }
        var options = options
        options.identity = note.store
        let span = try JournalStatistics.read(directory: source).span
        options.assumedThrough = (span?.lowerBound ?? 1) - 1
        // Without the records that retention has deleted, a start needs what was known of them.
        let memory =
            options.assumedThrough > 0 ? try JournalMemory(directory: source) : nil
        let journal = try JournalWriter.open(directory: destination, options: options) { _, _ in }
        defer { journal.close() }
        var outcome = Outcome(store: "\(note.store)")
        var sealer: RecordSealer?
        if seals, let keys = try JournalKeys.open(journal, masters, erased: ErasedRecords([])) {
            sealer = keys.keys.current.map { RecordSealer($0) }
        }
        try copy(into: journal, opener, sealer, memory, &outcome) {
            progress(Int($0), Int(span?.upperBound ?? 0))
        }
        outcome.last = journal.durableSequence
        return outcome
    }

    private func copy(
        into journal: JournalWriter, _ first: RecordOpener?, _ second: RecordSealer?,
        _ memory: JournalMemory?, _ outcome: inout Outcome, progress: (UInt64) -> Void
    ) throws {
        var (opener, sealer) = (first, second)
        var reader = try JournalReader(directory: source)
        _ = try reader.read { sequence, record in
            let opened = try opener?.open(record) ?? [UInt8](record)
            let (isOfRequest, isErased) = try opened.withUnsafeBytes { bytes in
                let head = try RecordReader(bytes, [.event, .end])
                return (head.part?.holder != nil, head.personal == .erased)
            }
            let isDue =
                journal.pendingCount >= Self.recordsMax
                || journal.pendingBytes.count >= Self.frameBytesMax
            // Retention removes a segment with all events of a request, because they are in one
            // frame.
            if journal.isFrameFull || isDue && !isOfRequest {
                try journal.commit()
                progress(journal.durableSequence)
            }
            if isErased { outcome.erased += 1 }
            let written = try sealer?.sealed(record: opened, of: sequence) ?? opened
            try journal.append { $0 += written }
            outcome.records += 1
            if let memory, memory.sequence == sequence {
                // The snapshot was at the end of a frame, so no request is divided.
                try journal.commit()
                try memory.write(to: journal)
            }
        }
        try journal.commit()
    }
}
