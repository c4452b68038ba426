import CLinux
import Glibc

/// A POSIX thread with a name, for the loops: they block in the kernel, which the Swift runtime's
/// own pool must not do.
package struct PlatformThread: Sendable {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let identifier: pthread_t

    /// Starts a thread that nobody waits for: what it occupies is free again when it ends, which
    /// that of a thread that could be joined, and is not, never is (pthread_detach(3)).
    package static func detached(name: String, _ run: @escaping @Sendable () -> Void) {
        pthread_detach(PlatformThread(name: name, run).identifier)
    }

    /// Starts a thread that must be joined. `name` is cut to the kernel's 15 bytes.
    package init(name: String, _ run: @escaping @Sendable () -> Void) {
        // It names itself, before anything else: from outside, the name might come after its end.
        let body = Unmanaged.passRetained(
            Body {
                Self.nameCurrent(name)
                run()
            })
        var identifier = pthread_t()
        let status = pthread_create(
            &identifier, nil,
            { argument in
                // The pointer is the retained body that pthread_create was given just below.
                Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        precondition(status == 0, "the kernel gives no thread: error \(status)")
        self.identifier = identifier
    }

    /// Names the calling thread; `name` is cut to the kernel's 15 bytes.
    package static func nameCurrent(_ name: String) {
        _ = ipnd_setname(pthread_self(), String(name.prefix(15)))
    }

    /// Puts the calling thread behind those that somebody waits for: `niceness` says how much less of
    /// the processor it gets where they leave too little.
    package static func lowerPriority(niceness: Int32) {
        // On Linux this is the calling thread alone (setpriority(2), "C library/kernel differences").
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
    }

    /// Waits until the thread has ended.
    package func join() {
        pthread_join(identifier, nil)
    }
}
