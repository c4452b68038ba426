/// How far time has passed, as retention may believe it. The wall clock alone is no witness: one
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
