import Glibc
import Synchronization

/// How fast much is written beside the commits: in pieces that are synced one by one, with rests
/// between them, until somebody waits for it. A disk that gets all at once lets a commit wait
/// behind it for tens of milliseconds.
package final class WritingPace: Sendable {
    /// The longest pause, in microseconds: who waits may wait this long for nothing.
    private static let restMaxMicroseconds: Int64 = 20_000

    private let urgent = Atomic<Bool>(false)

    package init() {}

    /// Somebody waits for what is written.
    var isUrgent: Bool { urgent.load(ordering: .relaxed) }

    /// From now on there are no rests.
    package func hurry() { urgent.store(true, ordering: .relaxed) }

    /// Leaves the disk to the commits for twice as long as a piece has kept it busy.
    func rest(afterMicroseconds busy: Int64) {
        usleep(useconds_t(min(max(busy, 0) * 2, Self.restMaxMicroseconds)))
    }
}
