import Platform
import Synchronization
import SystemPackage

/// Prepares the next segment before it is needed, on a separate thread or, in a simulation, when it
/// is requested.
struct SegmentPreparer {
    private let path: String
    private let storage: any Storage
    private let options: JournalOptions
    private var state = State.idle

    private enum State {
        case idle
        case running(PreparationThread)
        case failed(Errno, at: Int64)
    }

    init(directory: String, storage: any Storage, options: JournalOptions) {
        path = directory + "/" + Format.preparedName
        self.storage = storage
        self.options = options
    }

    /// Starts to prepare, if that is done by a thread and none is running.
    mutating func begin() {
        guard options.preparesInBackground, case .idle = state else { return }
        let thread = PreparationThread(path: path, storage: storage, options: options)
        state = thread.map { .running($0) } ?? .idle
    }

    /// Returns the prepared file, which then belongs to the caller. Waits for a running attempt,
    /// and makes one if the last one failed. If it fails too, its error is thrown, and thrown again
    /// at once until `preparationRetrySeconds` have passed: refusals on a full disk are cheap, and
    /// new room is found automatically.
    mutating func take() throws(Errno) -> any StorageFile {
        guard options.preparesInBackground else {
            return try SegmentPreparation.prepare(path, storage: storage, options)
        }
        if case .failed(let error, let time) = state {
            let retrySeconds = Int64(options.preparationRetrySeconds)
            if now - time < retrySeconds * 1_000_000 { throw error }
            state = .idle
        }
        // An attempt that ended long ago says nothing about the present.
        if failure != nil { end() }
        begin()
        guard case .running(let thread) = state else { throw .resourceTemporarilyUnavailable }
        switch thread.join() {
        case .success(let file):
            state = .idle
            return file
        case .failure(let error):
            state = .failed(error, at: now)
            throw error
        }
    }

    /// The error of the last attempt, if it failed.
    var failure: Errno? {
        switch state {
        case .idle: nil
        case .running(let thread): thread.failure
        case .failed(let error, _): error
        }
    }

    /// Waits for a running thread, so that nothing is written after the journal is closed.
    mutating func end() {
        if case .running(let thread) = state { _ = thread.join() }
        state = .idle
    }

    private var now: Int64 { storage.monotonicMicroseconds() }
}

/// A POSIX thread that prepares one segment and ends. Zeroing 64 MiB is long blocking work,
/// unsuitable for an event loop or Swift's own pool. One thread is started for each segment,
/// seconds apart at most.
final class PreparationThread {
    private final class Work: Sendable {
        let path: String
        let storage: any Storage
        let options: JournalOptions
        let pace: WritingPace
        let result = Mutex<Result<any StorageFile, Errno>?>(nil)

        init(path: String, storage: any Storage, options: JournalOptions) {
            self.path = path
            self.storage = storage
            self.options = options
            pace = WritingPace(clock: storage.clock)
        }

        func run() {
            let made: Result<any StorageFile, Errno>
            do throws(Errno) {
                made = .success(
                    try SegmentPreparation.prepare(path, storage: storage, options, pace: pace))
            } catch {
                made = .failure(error)
            }
            result.withLock { $0 = made }
        }
    }

    private let work: Work
    private let thread: PlatformThread

    /// Lower priority than the threads that answer requests, but high enough to finish before the
    /// current segment is full.
    private static let niceness: Int32 = 5

    /// Starts the thread; nil if the system cannot start one.
    init?(path: String, storage: any Storage, options: JournalOptions) {
        let work = Work(path: path, storage: storage, options: options)
        let thread = PlatformThread(ifAvailable: "ipnd-segment", niceness: Self.niceness) {
            work.run()
        }
        guard let thread else { return nil }
        self.work = work
        self.thread = thread
    }

    /// The error of the work; nil while it runs, or if it succeeded.
    var failure: Errno? {
        if case .failure(let error)? = work.result.withLock({ $0 }) { return error }
        return nil
    }

    /// Waits for the thread, once, and returns its result.
    func join() -> Result<any StorageFile, Errno> {
        work.pace.hurry()
        thread.join()
        return work.result.withLock { $0 } ?? .failure(.resourceTemporarilyUnavailable)
    }
}
