import CLinux
import Glibc

/// A POSIX thread with a name, for work that blocks in the kernel, which must not run on the Swift
/// runtime's pool.
package struct PlatformThread: Sendable {
    private let identifier: pthread_t

    /// Starts a thread that must be joined. Traps if the kernel cannot create one.
    ///
    /// - Parameters:
    ///   - name: Truncated to the kernel's 15 bytes.
    ///   - niceness: Lowers the thread's share of a busy processor, for work that is not urgent.
    package init(name: String, niceness: Int32 = 0, _ run: sending @escaping () -> Void) {
        switch Self.create(name: name, niceness: niceness, run) {
        case .success(let identifier): self.identifier = identifier
        case .failure(let error): preconditionFailure("pthread_create: error \(error.code)")
        }
    }

    /// Same as the other initializer, but nil if the kernel cannot create a thread.
    package init?(
        ifAvailable name: String, niceness: Int32 = 0, _ run: sending @escaping () -> Void
    ) {
        guard case .success(let identifier) = Self.create(name: name, niceness: niceness, run)
        else { return nil }
        self.identifier = identifier
    }

    /// Starts a thread that is never joined.
    package static func detached(
        name: String, niceness: Int32 = 0, _ run: sending @escaping () -> Void
    ) {
        PlatformThread(name: name, niceness: niceness, run).detach()
    }

    /// Frees the thread's resources when it ends, so that it need not be joined
    /// (pthread_detach(3)).
    func detach() { pthread_detach(identifier) }

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

        /// Sets the thread's name first: set from outside, it might be set after the thread has
        /// ended.
        func run() {
            _ = ipnd_setname(pthread_self(), String(name.prefix(15)))
            if niceness != 0 {
                // On Linux, this affects the calling thread alone (setpriority(2), "C
                // library/kernel differences").
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
