import Platform
import SystemPackage

/// Figures of a journal, read from the headers and the last segment only, without a lock.
package struct JournalStatistics: Sendable, Equatable {
    /// The journal's identity; nil if there is no journal.
    package var store: StoreIdentity?
    /// The first record that was sealed; nil while none is.
    package var sealedFrom: UInt64?
    /// Number of segments in the directory itself, and in its archive.
    package var segments = 0
    package var segmentsArchived = 0
    /// Number of records in all segments, archived ones included.
    package var records: UInt64 = 0
    /// The sequences of the first and the last record; nil when there is none.
    package var span: ClosedRange<UInt64>?
    /// Size of all segments, preallocated space included.
    package var bytes = 0
    /// Number of used bytes in the last segment.
    package var bytesInLastSegment = 0
    /// The hash of the last whole block.
    package var chainHead = ChainValue.zero
    /// The last sequences of the snapshots, newest first.
    package var snapshots: [UInt64] = []
    /// Free space on the file system, in bytes.
    package var bytesAvailable = 0

    /// Reads the directory. Throws `unusable`, and `damaged` for a bad header or a wrong order of
    /// segments.
    package static func read(
        directory: String, storage: any Storage = PosixStorage(), options: JournalOptions = .init()
    ) throws(JournalError) -> JournalStatistics {
        let list = try SegmentList.read(directory, storage: storage)
        var statistics = JournalStatistics()
        statistics.store = list.note?.store
        statistics.sealedFrom = list.note?.sealedFrom
        statistics.segments = list.segments.count
        statistics.snapshots = list.snapshots
        statistics.bytes = list.segments.reduce(0) { $0 + $1.header.segmentBytes }
        statistics.bytesAvailable = try JournalError.naming("statvfs", directory) {
            () throws(Errno) in
            try storage.bytesAvailable(directory)
        }
        let live = Set(list.segments.map(\.header.firstSequence))
        let archived = list.archived.filter { !live.contains($0) }
        statistics.segmentsArchived = archived.count
        guard let last = list.segments.last else { return statistics }
        let walk = try end(of: last, storage, options)
        statistics.chainHead = walk.chain
        statistics.bytesInLastSegment = walk.offset
        let first = archived.first ?? list.segments[0].header.firstSequence
        statistics.records = walk.nextSequence - first
        if walk.nextSequence > first { statistics.span = first...(walk.nextSequence - 1) }
        return statistics
    }

    /// Returns the last sequence in the journal; 0 if it has no records; nil if it ends before
    /// `expected` because its last segment is damaged, which opening it reports in detail. Throws
    /// as `read` does.
    ///
    /// A journal that reaches `expected` is not searched after its last frame: at each start, that
    /// would read a whole segment of zeros once more than opening does.
    package static func lastSequence(
        directory: String, expected: UInt64 = .max, storage: any Storage = PosixStorage(),
        options: JournalOptions = .init()
    ) throws(JournalError) -> UInt64? {
        let list = try SegmentList.read(directory, storage: storage)
        guard let last = list.segments.last else { return 0 }
        let walk = try end(of: last, storage, options, followsChain: false)
        if walk.nextSequence > expected { return walk.nextSequence - 1 }
        let decision = try JournalError.naming("read", last.path) { () throws(Errno) in
            let window = SegmentWindow(bytes: options.windowBytes)
            window.turn(to: try storage.open(last.path, for: .reading))
            var next = walk
            // A writer has just appended a frame.
            guard case .fault(let fault) = try next.step(window) else { return TailDecision.end }
            let survey = try TailSurvey.look(window, from: walk.offset, header: last.header)
            return TailDecision.decide(fault: fault, at: walk.offset, isLast: true, survey: survey)
        }
        if case .damaged = decision { return nil }
        return walk.nextSequence - 1
    }

    /// Walks to the last whole frame.
    private static func end(
        of entry: SegmentEntry, _ storage: any Storage, _ options: JournalOptions,
        followsChain: Bool = true
    ) throws(JournalError) -> SegmentWalk {
        try JournalError.naming("read", entry.path) { () throws(Errno) in
            let window = SegmentWindow(bytes: options.windowBytes)
            window.turn(to: try storage.open(entry.path, for: .reading))
            let block = try window.bytes(at: 0, needed: Format.segmentHeaderBytes)
            var walk = SegmentWalk(
                header: entry.header, block: block, followsChain: followsChain)
            while case .frame = try walk.step(window) {}
            return walk
        }
    }
}

/// The disk space of a journal, from names and sizes only, so that metrics may be read often.
package struct JournalSpace: Sendable, Equatable {
    /// Number of segments in place, without the archive.
    package var segments: Int
    /// Size of the segments and snapshots, preallocated space included.
    package var bytes: Int
    /// Free space on the file system.
    package var bytesAvailable: Int

    /// Returns nil if the directory cannot be read.
    package static func read(directory: String) -> JournalSpace? {
        guard let names = try? Directory.list(directory),
            let available = try? Directory.bytesAvailable(directory)
        else { return nil }
        let segments = names.count { Format.number(in: $0, suffix: Format.segmentSuffix) != nil }
        let bytes = names.reduce(0) { $0 + (FileSize.of("\(directory)/\($1)") ?? 0) }
        return JournalSpace(segments: segments, bytes: bytes, bytesAvailable: available)
    }
}
