import SystemPackage

/// Removes old segments from the journal's directory. Only the process that holds the journal's
/// lock may call this, from any one thread: a writer never touches a sealed segment again.
package enum Retention {
    /// The treatment of a segment that is old enough.
    package enum Disposal: Sendable, Equatable {
        /// Moved to `archive/`, where readers and `JournalVerifier` still find it.
        case archive
        /// Removed.
        case delete
    }

    /// Keeps segments with records that are not delivered yet.
    package struct Hold: Sendable, Equatable {
        /// Every record up to this one is delivered.
        package var delivered: UInt64
        /// Extra days to keep a segment with later records.
        package var days: Int

        package init(delivered: UInt64, days: Int) {
            self.delivered = delivered
            self.days = days
        }
    }

    /// The result of a pass.
    package struct Report: Sendable, Equatable {
        /// The names of the segments that were archived or deleted.
        package var taken: [String] = []
        /// Number of segments that were kept because they are old only by the wall clock.
        package var doubted = 0
        /// Number of days that the wall clock is ahead of the time that was seen to pass.
        package var lagDays = 0
        /// Number of old segments that were kept because of a `Hold`.
        package var held = 0

        /// A message for the operator.
        package var warning: String? {
            if held > 0 {
                return "retention: undelivered records: "
                    + (held == 1 ? "keeping 1 old segment" : "keeping \(held) old segments")
            }
            guard doubted > 0 else { return nil }
            return "retention: the clock is \(lagDays) days ahead of the time that this server has "
                + "seen pass: keeping \(doubted) segments that are old only by it; check the clock"
        }
    }

    /// Removes the sealed segments, oldest first, that were sealed more than `days` ago by `clock`.
    /// A segment is sealed when the next one begins. A segment is kept, however old, unless every
    /// good snapshot covers it and the first record of the next one, so that each snapshot can be
    /// started from and checked against the chain.
    ///
    /// A segment with records that `hold` protects is kept longer by the days of `hold`.
    ///
    /// Throws `unusable`; segments removed before the error stay removed, durably.
    static func apply(
        directory: String, storage: any Storage = PosixStorage(), clock: RetentionClock, days: Int,
        disposal: Disposal, hold: Hold? = nil
    ) throws(JournalError) -> Report {
        let list = try SegmentList.read(directory, storage: storage)
        let now = clock.now(storage)
        let lag = storage.wallMicroseconds() - now
        let age = Int64(days) * RetentionClock.microsecondsPerDay
        var report = Report()
        report.lagDays = Int(lag / RetentionClock.microsecondsPerDay)
        var old: [SegmentEntry] = []
        var first: UInt64?
        if let covered = try leastCovered(list, directory, storage) {
            for (entry, next) in zip(list.segments, list.segments.dropFirst()) {
                // If the clock was set back for a while, the next segment can look older than this
                // one.
                let sealed = max(entry.header.created, next.header.created)
                guard next.header.firstSequence <= covered, sealed <= now + lag - age else { break }
                if sealed <= now - age {
                    if let hold, next.header.firstSequence > hold.delivered + 1,
                        sealed > now - age - Int64(hold.days) * RetentionClock.microsecondsPerDay
                    {
                        // Later segments are younger, and not delivered either.
                        report.held += 1
                        continue
                    }
                    guard report.held == 0 else { break }
                    old.append(entry)
                    first = next.header.firstSequence
                } else {
                    report.doubted += 1
                }
            }
        }
        if report.lagDays < RetentionClock.lagDaysMax { report.doubted = 0 }
        try note(list, directory, storage, clock: now, first: first)
        for entry in old {
            try take(entry, directory, storage, disposal)
            report.taken.append(entry.name)
        }
        return report
    }

    /// Writes the time of the retention clock to `identity`, for the next opening.
    static func note(
        directory: String, storage: any Storage, clock: RetentionClock
    ) throws(JournalError) {
        let list = try SegmentList.read(directory, storage: storage)
        try note(list, directory, storage, clock: clock.now(storage), first: nil)
    }

    /// Updates `identity` before the first segment is removed: otherwise a start would take the
    /// segment for lost.
    private static func note(
        _ list: SegmentList, _ directory: String, _ storage: any Storage, clock: Int64,
        first: UInt64?
    ) throws(JournalError) {
        guard var note = list.note else { return }
        note.clock = clock
        if let first { note.first = max(note.first, first) }
        try JournalError.naming("write", directory + "/" + Format.identityName) {
            () throws(Errno) in
            try note.write(Format.identityName, in: directory, storage: storage)
        }
    }

    /// The least last sequence of the good snapshots; nil when there is none.
    private static func leastCovered(
        _ list: SegmentList, _ directory: String, _ storage: any Storage
    ) throws(JournalError) -> UInt64? {
        var least: UInt64?
        for sequence in list.snapshots {
            let result = try Snapshot.check(sequence, directory: directory, storage: storage)
            if case .success = result { least = sequence }
        }
        return least
    }

    /// Removes one segment durably before the next one, so that a power cut cannot bring back an
    /// older segment without a newer one.
    private static func take(
        _ entry: SegmentEntry, _ directory: String, _ storage: any Storage, _ disposal: Disposal
    ) throws(JournalError) {
        try JournalError.naming("retire", entry.path) { () throws(Errno) in
            if disposal == .archive { try keep(entry, directory, storage) }
            try storage.unlink(entry.path)
            try storage.fsyncDirectory(directory)
        }
    }

    /// Adds the archive's name durably before the first name is removed, so that a power cut cannot
    /// leave the segment without a name.
    private static func keep(
        _ entry: SegmentEntry, _ directory: String, _ storage: any Storage
    ) throws(Errno) {
        let archive = directory + "/" + Format.archiveName
        do { try storage.makeDirectory(archive) } catch {
            if error != .fileExists { throw error }
        }
        try storage.fsyncDirectory(directory)
        do { try storage.link(entry.path, to: archive + "/" + entry.name) } catch {
            // An earlier attempt was interrupted after this step.
            if error != .fileExists { throw error }
        }
        try storage.fsyncDirectory(archive)
    }
}

/// The time that retention uses. The wall clock alone is not trusted: a jump ten years ahead would
/// make every segment old at once.
///
/// This clock never runs ahead of the wall clock, and advances only with a second witness: while
/// the journal is open, the monotonic clock; while it was closed, only the wall clock, which counts
/// for `downtimeDaysMax` at each opening. When it lags after a longer pause, it catches up at twice
/// the speed. A lag only means that segments are kept longer.
package struct RetentionClock: Sendable {
    /// Maximum time that a pause between two openings counts for, in days.
    package static let downtimeDaysMax: Int64 = 1
    /// The lag of the wall clock, in days, from which a warning is reported.
    static let lagDaysMax: Int64 = 1
    static let microsecondsPerDay: Int64 = 86_400_000_000

    private let base: Int64
    private let opened: Int64

    /// - Parameters:
    ///   - noted: Its time when the journal was last open.
    ///   - created: When the newest segment began; used if nothing was noted yet.
    init(noted: Int64?, created: Int64?, storage: any Storage) {
        let wall = storage.wallMicroseconds()
        opened = storage.monotonicMicroseconds()
        let last = noted ?? created ?? wall
        base = min(wall, last + Self.downtimeDaysMax * Self.microsecondsPerDay)
    }

    /// Microseconds since 1970.
    func now(_ storage: any Storage) -> Int64 {
        min(storage.wallMicroseconds(), base + 2 * (storage.monotonicMicroseconds() - opened))
    }
}
