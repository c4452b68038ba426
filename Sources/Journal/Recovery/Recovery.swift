import SystemPackage

/// Opens a directory: checks its content, replays the records, repairs a torn tail. `SegmentList`
/// and `TailDecision` decide; this type does the I/O.
struct Recovery {
    typealias Replay = (_ sequence: UInt64, _ record: UnsafeRawBufferPointer) throws -> Void

    let directory: String
    let storage: any Storage
    private let window: SegmentWindow
    /// The records up to this one need not exist.
    private let assumedThrough: UInt64
    private var report = RecoveryReport()
    private var witness = SnapshotWitness()
    private var covered: UInt64 = 0
    /// The hash of the last frame that holds records.
    private var recordChain: ChainValue?

    init(directory: String, storage: any Storage, options: JournalOptions) {
        self.directory = directory
        self.storage = storage
        window = SegmentWindow(bytes: options.windowBytes)
        assumedThrough = options.assumedThrough
    }

    /// The state that a writer continues from.
    struct Outcome {
        var segment: OpenSegment
        /// The hash of the last block.
        var chain: ChainValue
        var nextSequence: UInt64
        /// The hash of the last frame that holds records; nil if none is known.
        var recordChain: ChainValue?
        /// Whether the journal ends with an idle marker, or is empty.
        var isIdle: Bool
        var report: RecoveryReport
    }

    /// Runs the whole recovery of a journal that has segments. The caller holds the lock.
    mutating func run(
        _ list: SegmentList, restore: (Snapshot) throws -> Bool, _ replay: Replay
    ) throws(JournalError) -> Outcome {
        let start = try RecoveryStart.choose(
            list, directory: directory, storage: storage, restore: restore)
        let segments = try start.segments(
            of: list, directory: directory, storage: storage, assumedThrough: assumedThrough)
        covered = start.covered
        witness = start.witness
        report.segments = list.segments.count
        report.snapshot = covered > 0 ? covered : nil
        report.snapshotsRefused = start.refused
        var before: SegmentWalk?
        for entry in segments.dropLast() {
            let file = try named("open", entry.path) { () throws(Errno) in
                try storage.open(entry.path, for: .reading)
            }
            before = try read(entry, file, after: before, isLast: false, replay).walk
        }
        guard let entry = segments.last else { preconditionFailure("a journal has segments") }
        let file = try named("open", entry.path) { () throws(Errno) in
            try storage.open(entry.path, for: .writing)
        }
        do { try file.lock() } catch {
            if error == .wouldBlock { throw .locked(directory: directory) }
            throw .unusable(operation: "lock", path: entry.path, error)
        }
        // Bytes that an earlier process wrote and did not sync are only in the kernel's memory.
        try named("fdatasync", entry.path) { () throws(Errno) in try file.syncContent() }
        let (walk, torn) = try read(entry, file, after: before, isLast: true, replay)
        if let damage = witness.missing(journalEnd: walk.nextSequence) { throw .damaged(damage) }
        // No refusal is possible from here on: only now is anything changed.
        if let torn {
            let tail = TornTailCut(
                directory: directory, storage: storage, entry: entry, file: file, range: torn)
            report.torn = try tail.cut(window)
        }
        try rewriteLast(walk, file, entry)
        return Outcome(
            segment: try resume(entry, file, walk),
            chain: walk.chain, nextSequence: walk.nextSequence, recordChain: recordChain,
            isIdle: walk.last?.header.isIdleMarker ?? true, report: report)
    }

    /// Reads one segment to its end. Returns the walk, and the range of a torn tail.
    private mutating func read(
        _ entry: SegmentEntry, _ file: any StorageFile, after before: SegmentWalk?, isLast: Bool,
        _ replay: Replay
    ) throws(JournalError) -> (walk: SegmentWalk, torn: Range<Int>?) {
        window.turn(to: file)
        var walk = try begin(entry, after: before)
        report.segmentsScanned += 1
        let fault = try scan(entry, &walk, replay)
        return (walk, try end(entry, walk, fault, isLast: isLast))
    }

    /// Starts a walk and checks that the segment follows the previous one (rows S6 and S7).
    private func begin(
        _ entry: SegmentEntry, after before: SegmentWalk?
    ) throws(JournalError) -> SegmentWalk {
        if let before { try SegmentLink.check(entry, after: before) }
        let block = try named("read", entry.path) { () throws(Errno) in
            try window.bytes(at: 0, needed: Format.segmentHeaderBytes)
        }
        return SegmentWalk(header: entry.header, block: block)
    }

    /// Walks to the first place without a good frame and replays the records on the way.
    private mutating func scan(
        _ entry: SegmentEntry, _ walk: inout SegmentWalk, _ replay: Replay
    ) throws(JournalError) -> FrameFault {
        while true {
            let step: SegmentWalk.Step
            do { step = try walk.step(window) } catch {
                throw .unusable(operation: "read", path: entry.path, error)
            }
            switch step {
            case .fault(let fault): return fault
            case .frame(let frame):
                if let damage = witness.see(frame.header, chain: frame.chain) {
                    throw .damaged(damage)
                }
                try hand(out: frame, of: entry, replay)
                if !frame.header.isIdleMarker { recordChain = frame.chain }
            }
        }
    }

    private mutating func hand(
        out frame: SegmentWalk.Frame, of entry: SegmentEntry, _ replay: Replay
    ) throws(JournalError) {
        let first = frame.header.firstSequence
        let covered = covered
        var sequence = first
        var count: UInt64 = 0
        let addsUp: Bool
        do {
            addsUp = try FrameDecoder.forEachRecord(of: frame.body, count: frame.header.count) {
                sequence = first + UInt64($0)
                if sequence <= covered { return }
                count += 1
                try replay(sequence, $1)
            }
        } catch {
            throw .refused(
                file: entry.name, offset: frame.offset, sequence: sequence, detail: "\(error)")
        }
        if !addsUp {
            throw damage(.records, entry, frame.offset, "its record lengths do not add up")
        }
        report.records += count
    }

    /// Decides on the end of the segment. Returns the range of a torn tail.
    private func end(
        _ entry: SegmentEntry, _ walk: SegmentWalk, _ fault: FrameFault, isLast: Bool
    ) throws(JournalError) -> Range<Int>? {
        let survey = try named("read", entry.path) { () throws(Errno) in
            try TailSurvey.look(window, from: walk.offset, header: entry.header)
        }
        switch TailDecision.decide(fault: fault, at: walk.offset, isLast: isLast, survey: survey) {
        case .end: return nil
        case .torn(let end): return walk.offset..<end
        case .damaged(let reason, let detail):
            throw damage(reason, entry, walk.offset, detail)
        }
    }

    /// Writes the last frame again, byte for byte, and syncs. Only this frame can have been in
    /// flight when an earlier process ended. If its fdatasync failed, the kernel holds the bytes in
    /// memory, marked clean, and the disk may not have them: they can be read, and another
    /// fdatasync would do nothing. Writing them makes them dirty again.
    private func rewriteLast(
        _ walk: SegmentWalk, _ file: any StorageFile, _ entry: SegmentEntry
    ) throws(JournalError) {
        guard let last = walk.last else { return }
        try named("rewrite", entry.path) { () throws(Errno) in
            let bytes = try window.bytes(at: last.offset, needed: last.header.frameBytes)
            try file.writeAll(
                UnsafeRawBufferPointer(rebasing: bytes[..<last.header.frameBytes]),
                at: last.offset)
            try file.syncContent()
        }
    }

    /// The last segment, ready for the next frame.
    private func resume(
        _ entry: SegmentEntry, _ file: any StorageFile, _ walk: SegmentWalk
    ) throws(JournalError) -> OpenSegment {
        try named("read", entry.path) { () throws(Errno) in
            try OpenSegment(
                resuming: file, path: entry.path, header: walk.header, at: walk.offset)
        }
    }

    private func damage(
        _ reason: Damage.Reason, _ entry: SegmentEntry, _ offset: Int, _ detail: String
    ) -> JournalError {
        .damaged(Damage(reason: reason, file: entry.name, offset: offset, detail: detail))
    }

    private func named<Value>(
        _ operation: String, _ path: String, _ call: () throws(Errno) -> Value
    ) throws(JournalError) -> Value {
        try JournalError.naming(operation, path, call)
    }
}

/// The result of opening a journal.
package struct RecoveryReport: Sendable, Equatable {
    /// A torn tail that was cut: a frame that a power cut or a kill interrupted, and that was never
    /// acknowledged.
    package struct TornTail: Sendable, Equatable {
        package var file: String
        package var offset: Int
        package var bytes: Int
        /// The name of the copy that was kept; nil if there was no room for it.
        package var copy: String?
    }

    /// Number of segments in the directory, and number of those that were read.
    package var segments = 0
    package var segmentsScanned = 0
    /// Number of records passed to `replay`.
    package var records: UInt64 = 0
    /// The last sequence of the snapshot that the recovery started from.
    package var snapshot: UInt64?
    /// Snapshots that were skipped, newest first, each with the reason.
    package var snapshotsRefused: [String] = []
    package var torn: TornTail?

    package init() {}
}
