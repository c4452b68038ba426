import Glibc

/// Detached POSIX threads: the committer and the snapshot writer block in system calls, which no thread of Swift's
/// cooperative pool may do.
enum StoreThread {
    /// Runs `body` on a new thread.
    static func start(_ body: sending @escaping () -> Void) {
        let start = Unmanaged.passRetained(Start(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
        // Only at start-up or for a snapshot; a process that may not start one thread cannot serve.
        precondition(code == 0, "pthread_create: error \(code)")
        pthread_detach(thread)
    }

    private final class Start {
        let body: () -> Void

        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// Nanoseconds on the monotonic clock.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
