import Simulator
import Synchronization

/// A clock that only runs when somebody waits for it.
final class ManualClock: SimulationClock {
    private let time = Mutex(Duration.zero)
    private let waits = Mutex<[Duration]>([])

    var elapsed: Duration { time.withLock { $0 } }
    var pauses: [Duration] { waits.withLock { $0 } }

    func pause(_ duration: Duration) {
        time.withLock { $0 += duration }
        waits.withLock { $0.append(duration) }
    }
}
