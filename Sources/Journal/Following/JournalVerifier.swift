import SystemPackage

/// Checks a whole journal: every header, frame, link of the chain and sequence, the order of the
/// segments from the archive to the last, and the snapshots. It takes no lock and changes nothing,
/// so it may run beside a writer.
package struct JournalVerifier {
    private let directory: String
    private let storage: any Storage
    private let anchor: ChainValue?
    private let window: SegmentWindow
    private var witness = SnapshotWitness()
    private var result = Verification()

    /// - Parameter anchor: A chain head noted earlier, which the chain must contain.
    package init(
        directory: String, storage: any Storage = PosixStorage(), anchor: ChainValue? = nil,
        options: JournalOptions = .init()
    ) {
        self.directory = directory
        self.storage = storage
        self.anchor = anchor
        window = SegmentWindow(bytes: options.windowBytes)
    }

    /// Runs to the end or to the first damage. `progress` is called often, with the bytes read so
    /// far and in all; `visit` is called with every record.
    ///
    /// Throws the errors of `progress` and `visit`, `JournalError.absent` if there is no journal,
    /// and `JournalError.unusable` if reading fails.
    package mutating func run(
        progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in },
        _ visit: (_ sequence: UInt64, _ record: UnsafeRawBufferPointer) throws -> Void = { _, _ in }
    ) throws -> Verification {
        result = Verification()
        do {
            let note = try checkDirectory()
            try checkSnapshots(note)
            try walkSegments(note, progress, visit)
        } catch JournalError.damaged(let damage) {
            result.damage = damage
        }
        return result
    }

    /// Checks the names, and returns the note of the file `identity`.
    private func checkDirectory() throws(JournalError) -> JournalNote? {
        let names = try JournalError.naming("list", directory) { () throws(Errno) in
            try storage.list(directory)
        }
        let note = try JournalNote.readIdentity(of: directory, storage)
        if names.contains(where: { $0.hasSuffix(Format.segmentSuffix) }) { return note }
        let archived = try SegmentCatalog(directory, storage: storage).numbers
        guard note != nil || !archived.isEmpty || names.contains(where: Self.isSnapshot) else {
            throw .absent(directory: directory)
        }
        throw .damaged(SegmentList.segmentsMissing)
    }

    private static func isSnapshot(_ name: String) -> Bool {
        Format.number(in: name, suffix: Format.snapshotSuffix) != nil
    }

    private mutating func checkSnapshots(_ note: JournalNote?) throws(JournalError) {
        for sequence in try SnapshotFile.list(directory: directory, storage: storage) {
            do {
                switch try Snapshot.check(sequence, directory: directory, storage: storage) {
                case .success(let snapshot):
                    try note?.check(snapshot)
                    witness.add(snapshot)
                case .failure(let damage): result.snapshotsDamaged.append(damage)
                }
            } catch {
                // A running writer has just removed it for a newer one.
                guard case .unusable(_, _, .noSuchFileOrDirectory) = error else { throw error }
            }
        }
    }

    private mutating func walkSegments(
        _ noted: JournalNote?, _ progress: (Int, Int) throws -> Void,
        _ visit: (UInt64, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let catalog = try SegmentCatalog(directory, storage: storage)
        var note = noted
        var before: SegmentWalk?
        var done = 0
        for (index, number) in catalog.numbers.enumerated() {
            // Retention may have moved it to the archive, where `open` finds it.
            guard let entry = try catalog.open(number) else {
                throw damage(
                    .segmentMissing, Format.segmentName(firstSequence: number), 0, "it is gone")
            }
            if index == 0 { try noted?.checkNothingIsMissing(before: entry) }
            if let note {
                try note.check(entry)
            } else {
                note = JournalNote(store: entry.header.store)
            }
            let rest = (catalog.numbers.count - index) * entry.header.segmentBytes
            let isLast = index == catalog.numbers.count - 1
            let base = done
            before = try walk(entry, after: before, isLast: isLast, visit) {
                try progress(base + $0, base + rest)
            }
            done += entry.header.segmentBytes
            try progress(done, base + rest)
        }
        if let before, let damage = witness.missing(journalEnd: before.nextSequence) {
            throw JournalError.damaged(damage)
        }
    }

    private mutating func walk(
        _ entry: SegmentEntry, after before: SegmentWalk?, isLast: Bool,
        _ visit: (UInt64, UnsafeRawBufferPointer) throws -> Void,
        _ progress: (Int) throws -> Void
    ) throws -> SegmentWalk {
        if let before { try SegmentLink.check(entry, after: before) }
        let (storage, window) = (storage, window)
        var walk = try reading(entry) { () throws(Errno) in
            window.turn(to: try storage.open(entry.path, for: .reading))
            let block = try window.bytes(at: 0, needed: Format.segmentHeaderBytes)
            return SegmentWalk(header: entry.header, block: block)
        }
        result.segments += 1
        result.bytes += Format.segmentHeaderBytes
        pass(entry.header.chain, before: walk.nextSequence)
        while true {
            pass(walk.chain, before: walk.nextSequence)
            result.chainHead = walk.chain
            switch try reading(entry, { () throws(Errno) in try walk.step(window) }) {
            case .frame(let frame):
                if let damage = witness.see(frame.header, chain: frame.chain) {
                    throw JournalError.damaged(damage)
                }
                try count(frame, entry, visit)
                try progress(walk.offset)
            case .fault:
                if try isEnd(entry, &walk, isLast: isLast) { return walk }
            }
        }
    }

    /// Notes the sequence if this link of the chain is the anchor.
    private mutating func pass(_ chain: ChainValue, before nextSequence: UInt64) {
        if chain == anchor { result.anchorSequence = nextSequence - 1 }
    }

    private mutating func count(
        _ frame: SegmentWalk.Frame, _ entry: SegmentEntry,
        _ visit: (UInt64, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let first = frame.header.firstSequence
        let addsUp = try FrameDecoder.forEachRecord(of: frame.body, count: frame.header.count) {
            try visit(first + UInt64($0), $1)
        }
        if !addsUp {
            throw damage(.records, entry.name, frame.offset, "its record lengths do not add up")
        }
        result.frames += 1
        result.bytes += frame.header.frameBytes
        guard frame.header.count > 0 else { return }
        result.records += UInt64(frame.header.count)
        result.span = (result.span?.lowerBound ?? first)...(frame.header.endSequence - 1)
    }

    /// Decides at a place without a good frame. Returns false if a writer completed one there
    /// meanwhile.
    private mutating func isEnd(
        _ entry: SegmentEntry, _ walk: inout SegmentWalk, isLast: Bool
    ) throws -> Bool {
        let before = walk
        let (survey, step) = try reading(entry) { () throws(Errno) in
            let survey = try TailSurvey.look(window, from: walk.offset, header: walk.header)
            window.forget()
            return (survey, try walk.step(window))
        }
        guard case .fault(let fault) = step else {
            walk = before
            return false
        }
        switch TailDecision.decide(fault: fault, at: walk.offset, isLast: isLast, survey: survey) {
        case .end: break
        case .torn(let end):
            result.torn = RecoveryReport.TornTail(
                file: entry.name, offset: walk.offset, bytes: end - walk.offset, copy: nil)
        case .damaged(let reason, let detail):
            throw damage(reason, entry.name, walk.offset, detail)
        }
        return true
    }

    private func reading<Value>(
        _ entry: SegmentEntry, _ call: () throws(Errno) -> Value
    ) throws(JournalError) -> Value {
        try JournalError.naming("read", entry.path, call)
    }

    private func damage(
        _ reason: Damage.Reason, _ file: String, _ offset: Int, _ detail: String
    ) -> JournalError {
        .damaged(Damage(reason: reason, file: file, offset: offset, detail: detail))
    }
}

/// The result of a verification.
package struct Verification: Sendable, Equatable {
    package var segments = 0
    package var frames: UInt64 = 0
    package var records: UInt64 = 0
    /// The sequences of the first and the last record; nil when there is none.
    package var span: ClosedRange<UInt64>?
    /// Bytes of headers and frames.
    package var bytes = 0
    /// The hash of the last whole block; note it elsewhere as an anchor.
    package var chainHead = ChainValue.zero
    /// The last sequence before the anchor, when an anchor was given and the chain passes through
    /// it.
    package var anchorSequence: UInt64?
    /// An unfinished frame at the end of the last segment, left by a crash or a running writer. It
    /// is not damage.
    package var torn: RecoveryReport.TornTail?
    /// Snapshots that cannot be used. They do not affect the records.
    package var snapshotsDamaged: [SnapshotDamage] = []
    /// The first damage. The counts above end before it.
    package var damage: Damage?

    package init() {}
}
