import CLinux
import Glibc

/// A POSIX thread with a name, for what blocks in the kernel: the Swift runtime's own pool must
/// not.
package struct PlatformThread: Sendable {
    private let identifier: pthread_t

    /// Starts a thread that must be joined. Traps when the kernel has no thread to give.
    ///
    /// - Parameters:
    ///   - name: Cut to the kernel's 15 bytes.
    ///   - niceness: How much less of the processor it gets where there is too little for all; for
    ///     work that nobody waits for.
    package init(name: String, niceness: Int32 = 0, _ run: sending @escaping () -> Void) {
        switch Self.create(name: name, niceness: niceness, run) {
        case .success(let identifier): self.identifier = identifier
        case .failure(let error): preconditionFailure("pthread_create: error \(error.code)")
        }
    }

    /// The same; nil when the kernel has no thread to give.
    package init?(
        ifAvailable name: String, niceness: Int32 = 0, _ run: sending @escaping () -> Void
    ) {
        guard case .success(let identifier) = Self.create(name: name, niceness: niceness, run)
        else { return nil }
        self.identifier = identifier
    }

    /// Starts a thread that nobody joins: what it occupies is free again when it ends, which that
    /// of a thread that is never joined would not be (pthread_detach(3)).
    package static func detached(
        name: String, niceness: Int32 = 0, _ run: sending @escaping () -> Void
    ) {
        pthread_detach(PlatformThread(name: name, niceness: niceness, run).identifier)
    }

    /// Waits until the thread has ended.
    package func join() {
        pthread_join(identifier, nil)
    }

    private final class Body {
        private let name: String
        private let niceness: Int32
        private let work: () -> Void

        init(_ name: String, _ niceness: Int32, _ work: @escaping () -> Void) {
            self.name = name
            self.niceness = niceness
            self.work = work
        }

        /// The thread names itself, before anything else: from outside, the name might come after
        /// its end.
        func run() {
            _ = ipnd_setname(pthread_self(), String(name.prefix(15)))
            if niceness != 0 {
                // On Linux, this is the calling thread alone (setpriority(2), "C library/kernel
                // differences").
                _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
            }
            work()
        }
    }

    private struct CreationError: Error {
        let code: Int32
    }

    private static func create(
        name: String, niceness: Int32, _ run: sending @escaping () -> Void
    ) -> Result<pthread_t, CreationError> {
        let body = Unmanaged.passRetained(Body(name, niceness, run))
        var identifier = pthread_t()
        let code = pthread_create(
            &identifier, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        guard code == 0 else {
            body.release()
            return .failure(CreationError(code: code))
        }
        return .success(identifier)
    }
}
