import SystemPackage

/// Reads a journal from a given sequence on, without a lock, while a writer may write. Call `read`
/// again for new records. It continues across rotation, and through the archive.
package struct JournalReader {
    /// Selects the frames that are returned.
    package enum Extent: Sendable {
        /// Every whole frame. The very last one may be lost again if the power fails before its
        /// sync returns.
        case whole
        /// Only frames that are surely durable: a later frame, an idle marker or the next segment
        /// follows them.
        case durable
    }

    private var catalog: SegmentCatalog
    private let extent: Extent
    private let followsChain: Bool
    private let window: SegmentWindow
    private var entry: SegmentEntry?
    private var file: (any StorageFile)?
    private var walk: SegmentWalk?
    private var delivered: UInt64
    /// Whether the rest of this segment was searched for frames after a gap, which is done once.
    private var hasSurveyed = false

    /// Number of bytes to read at once: few at first, since a poll mostly finds nothing new, then
    /// doubled after each frame.
    private var aheadBytes = Self.aheadBytesMin
    private static let aheadBytesMin = 4096
    private let aheadBytesMax: Int

    /// The next action where there is no good frame.
    private enum Next { case again, end }

    /// Starts after the record `sequence` (0: at the first existing record). Reads only the names.
    /// A reader that follows a writer of the same process may skip the chain: every frame's
    /// checksum is verified anyway. Throws `unusable`.
    package init(
        directory: String, storage: any Storage = PosixStorage(), after sequence: UInt64 = 0,
        extent: Extent = .whole, followsChain: Bool = true, options: JournalOptions = .init()
    ) throws(JournalError) {
        catalog = try SegmentCatalog(directory, storage: storage)
        self.extent = extent
        self.followsChain = followsChain
        delivered = sequence
        window = SegmentWindow(bytes: options.windowBytes)
        aheadBytesMax = options.windowBytes
    }

    /// The last sequence that was returned, or the sequence that the reader was started after.
    package var lastSequence: UInt64 { delivered }

    /// Passes the records that exist now to `visit`, at most `limit`, and returns their number. The
    /// bytes are valid only during the call. If `visit` throws, the next `read` begins with the
    /// record after the one that it was given.
    ///
    /// Throws the errors of `visit`, and `JournalError` `damaged` or `unusable`.
    package mutating func read(
        limit: Int = .max,
        _ visit: (_ sequence: UInt64, _ record: UnsafeRawBufferPointer) throws -> Void
    ) throws -> Int {
        guard try begin() else { return 0 }
        window.forget()
        aheadBytes = Self.aheadBytesMin
        var count = 0
        while count < limit, let before = walk {
            guard case .frame(let frame) = try step() else {
                if case .again = try atGap() { continue }
                return count
            }
            guard try isShown(frame) else {
                walk = before
                return count
            }
            // Until its last record is returned, the reader stays before this frame.
            let after = walk
            walk = before
            count += try hand(out: frame, limit: limit - count, visit)
            let isOut = frame.header.isIdleMarker || delivered >= frame.header.endSequence - 1
            guard isOut else { return count }
            walk = after
        }
        return count
    }

    /// Opens the segment that holds the first wanted record. Returns false if there is no segment
    /// yet.
    private mutating func begin() throws(JournalError) -> Bool {
        if walk != nil { return true }
        // There is no record after the highest number.
        guard delivered < .max else { return false }
        try catalog.refresh()
        let wanted = delivered + 1
        guard let number = catalog.numbers.last(where: { $0 <= wanted }) ?? catalog.numbers.first
        else { return false }
        guard let found = try catalog.open(number) else { return false }
        try turn(to: found)
        return true
    }

    private mutating func turn(to found: SegmentEntry) throws(JournalError) {
        let (storage, window) = (catalog.storage, window)
        let opened = try JournalError.naming("open", found.path) { () throws(Errno) in
            try storage.open(found.path, for: .reading)
        }
        window.turn(to: opened)
        let block = try JournalError.naming("read", found.path) { () throws(Errno) in
            try window.bytes(at: 0, needed: Format.segmentHeaderBytes)
        }
        walk = SegmentWalk(header: found.header, block: block, followsChain: followsChain)
        entry = found
        file = opened
        hasSurveyed = false
    }

    /// Takes a step. Without a good frame it reads again from the disk, because a writer may have
    /// been in the middle of a write.
    private mutating func step() throws(JournalError) -> SegmentWalk.Step {
        let first = try stepOnce()
        guard case .fault = first else { return first }
        window.forget()
        return try stepOnce()
    }

    private mutating func stepOnce() throws(JournalError) -> SegmentWalk.Step {
        guard var current = walk else { return .fault(.header) }
        defer { walk = current }
        let result: SegmentWalk.Step
        do { result = try current.step(window, ahead: aheadBytes) } catch {
            throw .unusable(operation: "read", path: entry?.path ?? "", error)
        }
        if case .frame = result { aheadBytes = min(2 * aheadBytes, aheadBytesMax) }
        return result
    }

    /// Whether the frame may be returned.
    private func isShown(_ frame: SegmentWalk.Frame) throws(JournalError) -> Bool {
        guard extent == .durable, let walk, let file, let entry else { return true }
        // The writer begins a frame only after the previous one was synced, so the next header
        // proves that this one is durable.
        var head = [UInt8](repeating: 0, count: Format.frameHeaderBytes)
        let isFollowed = try JournalError.naming("read", entry.path) { () throws(Errno) in
            try file.readAll(&head, at: walk.offset) == head.count
                && head.withUnsafeBytes { FrameHeader.decode($0, salt: walk.header.salt) } != nil
        }
        if isFollowed { return true }
        return try hasSuccessor()
    }

    private func hasSuccessor() throws(JournalError) -> Bool {
        guard let walk, walk.nextSequence > walk.header.firstSequence else { return false }
        return try catalog.exists(walk.nextSequence)
    }

    private mutating func hand(
        out frame: SegmentWalk.Frame, limit: Int,
        _ visit: (UInt64, UnsafeRawBufferPointer) throws -> Void
    ) throws -> Int {
        var count = 0
        let addsUp = try FrameDecoder.forEachRecord(of: frame.body, count: frame.header.count) {
            let sequence = frame.header.firstSequence + UInt64($0)
            if sequence <= delivered || count == limit { return }
            delivered = sequence
            count += 1
            try visit(sequence, $1)
        }
        if !addsUp { throw damage(.records, "its record lengths do not add up") }
        return count
    }

    /// Handles a place without a good frame: the end for now, the end of this segment, or damage.
    private mutating func atGap() throws(JournalError) -> Next {
        guard let before = walk else { return .end }
        if try hasSuccessor(), let next = try catalog.open(before.nextSequence) {
            // A last idle marker may have been written between the two reads.
            if case .frame = try step() {
                walk = before
                return .again
            }
            guard !followsChain || next.header.chain == before.chain else {
                throw .damaged(
                    Damage(
                        reason: .chain, file: next.name, offset: 48,
                        detail: "it does not follow the segment before it"))
            }
            try turn(to: next)
            return .again
        }
        if hasSurveyed { return .end }
        hasSurveyed = true
        return try survey(before)
    }

    /// Reads everything after the gap once. The last step follows the survey, so that a concurrent
    /// write is not taken for damage.
    private mutating func survey(_ before: SegmentWalk) throws(JournalError) -> Next {
        let window = window
        let survey = try JournalError.naming("read", entry?.path ?? "") { () throws(Errno) in
            try TailSurvey.look(window, from: before.offset, header: before.header)
        }
        try catalog.refresh()
        let isLast = !catalog.numbers.contains { $0 > before.header.firstSequence }
        switch try step() {
        case .frame:
            walk = before
            hasSurveyed = false
            return .again
        case .fault(let fault):
            if !isLast, try hasSuccessor() { return .again }
            let decision = TailDecision.decide(
                fault: fault, at: before.offset, isLast: isLast, survey: survey)
            if case .damaged(let reason, let detail) = decision { throw damage(reason, detail) }
            if case .end = decision, !isLast {
                throw damage(.segmentMissing, "the segment that follows is gone")
            }
            return .end
        }
    }

    private func damage(_ reason: Damage.Reason, _ detail: String) -> JournalError {
        .damaged(
            Damage(
                reason: reason, file: entry?.name ?? "", offset: walk?.offset ?? 0, detail: detail))
    }
}
