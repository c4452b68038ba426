import Glibc
import Synchronization

/// How fast a segment is prepared while another one is in use: with rests, until somebody waits
/// for it.
final class PreparationPace: Sendable {
    /// The longest rest, in microseconds: as long as that, whoever waits does so in vain.
    private static let restMaxMicroseconds: Int64 = 20_000

    private let urgent = Atomic<Bool>(false)

    /// Somebody waits for the segment.
    var isUrgent: Bool { urgent.load(ordering: .relaxed) }

    /// From now on there are no rests.
    func hurry() { urgent.store(true, ordering: .relaxed) }

    /// Leaves the disk to the commits for twice as long as a piece has kept it busy.
    func rest(afterMicroseconds busy: Int64) {
        usleep(useconds_t(min(max(busy, 0) * 2, Self.restMaxMicroseconds)))
    }
}
