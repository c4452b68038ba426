import Platform
import Synchronization
import SystemPackage

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
