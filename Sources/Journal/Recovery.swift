import SystemPackage

/// Opens a directory: checks all that is there, hands the records out, mends a torn tail. What a finding means is decided
/// in `SegmentList` and `TailDecision`; this is the I/O around them.
struct Recovery {
    typealias Replay = (_ sequence: UInt64, _ record: UnsafeRawBufferPointer) throws -> Void

    let directory: String
    let storage: any Storage
    let options: JournalOptions

    /// What a writer goes on from.
    struct Outcome {
        var segment: OpenSegment
        /// The hash of the last block.
        var chain: ChainValue
        var nextSequence: UInt64
        /// The hash of the last frame that holds records, and whether any is known.
        var recordChain: ChainValue?
        /// Whether an idle marker, or nothing at all, stands at the end.
        var isIdle: Bool
        var report: RecoveryReport
    }

    /// Runs the whole recovery. The caller holds the lock.
    func run(_ list: SegmentList, _ replay: Replay) throws(JournalError) -> Outcome {
        var report = RecoveryReport()
        report.segments = list.segments.count
        let window = SegmentWindow(bytes: options.windowBytes)
        var recordChain: ChainValue?
        var before: SegmentWalk?
        guard let lastEntry = list.segments.last else {
            throw .damaged(
                Damage(reason: .segmentsMissing, file: directory, offset: 0, detail: "no segment"))
        }
        // What an earlier process wrote and did not sync is in the kernel's memory only.
        let file = try named("open", lastEntry.path) { () throws(Errno) in
            try storage.open(lastEntry.path, for: .writing)
        }
        try named("fdatasync", lastEntry.path) { () throws(Errno) in try file.syncContent() }
        for entry in list.segments {
            let isLast = entry.name == lastEntry.name
            var source = file
            if !isLast {
                source = try named("open", entry.path) { () throws(Errno) in
                    try storage.open(entry.path, for: .reading)
                }
            }
            window.turn(to: source)
            var walk = try begin(entry, window, after: before)
            let fault = try scan(entry, &walk, window, &report, &recordChain, replay)
            try end(entry, walk, fault, isLast: isLast, window, source, &report)
            before = walk
        }
        guard let walk = before else { throw .closed }
        try rewriteLast(walk, window, file, lastEntry)
        return Outcome(
            segment: OpenSegment(
                path: lastEntry.path, file: file, header: walk.header, offset: walk.offset),
            chain: walk.chain, nextSequence: walk.nextSequence, recordChain: recordChain,
            isIdle: walk.last?.header.isIdleMarker ?? true, report: report)
    }

    /// Starts a walk and checks that the segment follows the one before it (rows S6, S7).
    private func begin(
        _ entry: SegmentEntry, _ window: SegmentWindow, after before: SegmentWalk?
    ) throws(JournalError) -> SegmentWalk {
        if let before {
            guard entry.header.firstSequence == before.nextSequence else {
                throw damage(
                    .sequence, entry, 24,
                    "it begins with \(entry.header.firstSequence), the segment before it ends "
                        + "before \(before.nextSequence)")
            }
            guard entry.header.chain == before.chain else {
                throw damage(.chain, entry, 48, "it does not follow the segment before it")
            }
        }
        let block = try named("read", entry.path) { () throws(Errno) in
            try window.bytes(at: 0, needed: Format.segmentHeaderBytes)
        }
        return SegmentWalk(header: entry.header, block: block)
    }

    /// Walks to the first place without a good frame and hands out the records on the way.
    private func scan(
        _ entry: SegmentEntry, _ walk: inout SegmentWalk, _ window: SegmentWindow,
        _ report: inout RecoveryReport, _ recordChain: inout ChainValue?, _ replay: Replay
    ) throws(JournalError) -> FrameFault {
        report.segmentsScanned += 1
        while true {
            let step: SegmentWalk.Step
            do { step = try walk.step(window) } catch {
                throw .unusable(operation: "read", path: entry.path, error)
            }
            guard case .frame(let frame) = step else {
                if case .fault(let fault) = step { return fault }
                return .header
            }
            try hand(out: frame, of: entry, replay)
            report.records += UInt64(frame.header.count)
            if !frame.header.isIdleMarker { recordChain = frame.chain }
        }
    }

    private func hand(
        out frame: SegmentWalk.Frame, of entry: SegmentEntry, _ replay: Replay
    ) throws(JournalError) {
        let first = frame.header.firstSequence
        var sequence = first
        let addsUp: Bool
        do {
            addsUp = try FrameDecoder.forEachRecord(of: frame.body, count: frame.header.count) {
                sequence = first + UInt64($0)
                try replay(sequence, $1)
            }
        } catch {
            throw .refused(
                file: entry.name, offset: frame.offset, sequence: sequence, detail: "\(error)")
        }
        if !addsUp { throw damage(.records, entry, frame.offset, "its records do not add up") }
    }

    /// Decides what the end of the segment means, and cuts a torn tail.
    private func end(
        _ entry: SegmentEntry, _ walk: SegmentWalk, _ fault: FrameFault, isLast: Bool,
        _ window: SegmentWindow, _ file: any StorageFile, _ report: inout RecoveryReport
    ) throws(JournalError) {
        let survey = try named("read", entry.path) { () throws(Errno) in
            try TailSurvey.look(window, from: walk.offset, header: entry.header)
        }
        let decision = TailDecision.decide(
            fault: fault, at: walk.offset, isLast: isLast, survey: survey)
        switch decision {
        case .end: return
        case .damaged(let reason, let detail):
            throw damage(reason, entry, walk.offset, detail)
        case .torn(let end):
            let tail = TornTailCut(
                directory: directory, storage: storage, entry: entry, file: file,
                range: walk.offset..<end)
            report.torn = try tail.cut(window)
        }
    }

    /// Writes the last frame again, byte for byte, and syncs. Only this one can have been in flight when an earlier
    /// process ended. If its fdatasync failed, the kernel keeps the bytes in memory, marked clean, without the disk having
    /// them: they read well, and another fdatasync would do nothing. Writing them makes them dirty again.
    private func rewriteLast(
        _ walk: SegmentWalk, _ window: SegmentWindow, _ file: any StorageFile,
        _ entry: SegmentEntry
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
