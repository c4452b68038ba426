import SystemPackage

/// Takes old segments out of the journal's directory. Only the process that holds the journal's
/// lock may call this, from any one thread: a writer never touches a sealed segment again.
package enum Retention {
    /// What happens to a segment that is old enough.
    package enum Disposal: Sendable, Equatable {
        /// Moved to `archive/`, where readers and `JournalVerifier` still find it.
        case archive
        /// Removed.
        case delete
    }

    /// Records that somebody has still to be told of.
    package struct Hold: Sendable, Equatable {
        /// Everything up to here was told.
        package var told: UInt64
        /// How much longer the others stay, in days.
        package var days: Int

        package init(told: UInt64, days: Int) {
            self.told = told
            self.days = days
        }
    }

    /// What a pass did.
    package struct Report: Sendable, Equatable {
        /// The names of the segments that were taken away.
        package var taken: [String] = []
        /// Segments that are old by the wall clock alone, and stayed.
        package var doubted = 0
        /// How far the wall clock is ahead of the time that was seen to pass.
        package var lagDays = 0
        /// Segments that are old enough, and stayed because of a `Hold`.
        package var held = 0

        /// What somebody should know.
        package var warning: String? {
            if held > 0 {
                return "retention: a destination was not told of all records yet; "
                    + (held == 1 ? "1 old segment stays" : "\(held) old segments stay")
            }
            guard doubted > 0 else { return nil }
            return "retention: the clock is \(lagDays) days ahead of the time that this server has "
                + "seen pass; \(doubted) segments that look old by it stay. Check the clock"
        }
    }

    /// Takes away the sealed segments, oldest first, that were sealed more than `days` ago by
    /// `clock`. A segment is sealed when the next one begins. One stays, however old, unless every
    /// good snapshot covers it and the first record of the next one: so each kept snapshot can be
    /// started from and held against the chain.
    ///
    /// What `hold` has not told stays for so much longer.
    ///
    /// Throws `unusable`; what was taken away before stays so, durably.
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
                // A clock that was behind for a while made the next one look older than this one.
                let sealed = max(entry.header.created, next.header.created)
                guard next.header.firstSequence <= covered, sealed <= now + lag - age else { break }
                if sealed <= now - age {
                    if let hold, next.header.firstSequence > hold.told + 1,
                        sealed > now - age - Int64(hold.days) * RetentionClock.microsecondsPerDay
                    {
                        // Those behind it are younger, and not told either.
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

    /// Notes how far time has passed, for the next time that the journal is opened.
    static func note(
        directory: String, storage: any Storage, clock: RetentionClock
    ) throws(JournalError) {
        let list = try SegmentList.read(directory, storage: storage)
        try note(list, directory, storage, clock: clock.now(storage), first: nil)
    }

    /// Before the first segment goes, `identity` says that it was meant to: else a start would take
    /// it for lost.
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

    /// One at a time, each durable before the next: a power cut can never bring back an older one
    /// without a newer one.
    private static func take(
        _ entry: SegmentEntry, _ directory: String, _ storage: any Storage, _ disposal: Disposal
    ) throws(JournalError) {
        try JournalError.naming("retire", entry.path) { () throws(Errno) in
            if disposal == .archive { try keep(entry, directory, storage) }
            try storage.unlink(entry.path)
            try storage.fsyncDirectory(directory)
        }
    }

    /// The second name is durable before the first goes, so that no power cut leaves the segment
    /// without any.
    private static func keep(
        _ entry: SegmentEntry, _ directory: String, _ storage: any Storage
    ) throws(Errno) {
        let archive = directory + "/" + Format.archiveName
        do { try storage.makeDirectory(archive) } catch {
            if error != .fileExists { throw error }
        }
        try storage.fsyncDirectory(directory)
        do { try storage.link(entry.path, to: archive + "/" + entry.name) } catch {
            // An earlier attempt got this far.
            if error != .fileExists { throw error }
        }
        try storage.fsyncDirectory(archive)
    }
}

/// How far time has passed, as retention may believe it. The wall clock alone is not a witness: one
/// that jumps ten years ahead would make every segment old at once.
///
/// So this clock never runs ahead of the wall clock, and needs a second witness to go on: while the
/// journal is open, the monotonic clock; while it was closed, nothing but the wall clock, which is
/// believed for `downtimeDaysMax` at each opening. Where it lags behind, after a longer pause, it
/// catches up at twice the speed. A lag only means that segments stay longer.
package struct RetentionClock: Sendable {
    /// What a pause between two openings counts for at the most.
    package static let downtimeDaysMax: Int64 = 1
    /// A lag of the wall clock that is worth a word.
    static let lagDaysMax: Int64 = 1
    static let microsecondsPerDay: Int64 = 86_400_000_000

    private let base: Int64
    private let opened: Int64

    /// - Parameters:
    ///   - noted: What it showed when the journal was last open.
    ///   - created: When the newest segment was begun, where nothing was noted yet.
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
