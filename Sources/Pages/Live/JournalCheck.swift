import Journal
import Platform
import Synchronization

/// Verifies the journal behind the service: one run at a time, on a thread of low priority that
/// reads the files beside the intake, as `ipnd journal verify` does.
final class JournalCheck: Sendable {
    enum State: Sendable {
        case never
        /// Bytes read, and in all.
        case running(done: Int, total: Int)
        case ended(Verification, at: Int64, seconds: Double)
        /// The files could not be read.
        case failed(String, at: Int64)
    }

    let directory: String
    private let clock: any Clock
    private let state = Mutex(State.never)
    private let figures = Mutex<(read: MonotonicTime, statistics: JournalStatistics)?>(nil)

    /// Finding the chain head walks through the last segment: a page that is looked at again and
    /// again shows the one of so long ago.
    private static let figuresSecondsMax = 20

    init(_ directory: String, clock: any Clock) {
        self.directory = directory
        self.clock = clock
    }

    var current: State { state.withLock { $0 } }

    /// The journal in numbers; nil where it cannot be read now.
    func statistics() async -> JournalStatistics? {
        let known = figures.withLock { $0 }
        if let known, clock.now < known.read.advanced(seconds: Self.figuresSecondsMax) {
            return known.statistics
        }
        let directory = directory
        let fresh = await Task.detached(priority: .utility) {
            try? JournalStatistics.read(directory: directory)
        }.value
        if let fresh { figures.withLock { $0 = (clock.now, fresh) } }
        return fresh
    }

    /// Does nothing while one runs.
    func start() {
        let isFree = state.withLock { state in
            if case .running = state { return false }
            state = .running(done: 0, total: 0)
            return true
        }
        guard isFree else { return }
        PlatformThread.detached(name: "ipnd-verify", niceness: 19) { [self] in run() }
    }

    private func run() {
        let began = clock.now
        do {
            var verifier = JournalVerifier(directory: directory)
            let verification = try verifier.run(progress: { done, total in
                self.state.withLock { $0 = .running(done: done, total: total) }
            })
            let seconds = Double(clock.now.nanoseconds(since: began)) / 1e9
            state.withLock {
                $0 = .ended(verification, at: clock.wallMicroseconds, seconds: seconds)
            }
        } catch {
            state.withLock { $0 = .failed("\(error)", at: clock.wallMicroseconds) }
        }
    }
}
