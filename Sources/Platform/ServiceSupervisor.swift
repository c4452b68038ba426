import CLinux
import Glibc
package import SystemPackage

/// The service's side of systemd's protocols: a datagram and three environment variables
/// (sd_notify(3), sd_listen_fds(3)). Every call does nothing without systemd.
package struct ServiceSupervisor: Sendable {
    /// The watchdog's timeout in microseconds, nil without a watchdog (sd_watchdog_enabled(3)).
    package let watchdogMicroseconds: UInt64?

    private let notifySocket: String?
    private let inheritedCount: Int

    /// The first descriptor that systemd passes (sd_listen_fds(3), SD_LISTEN_FDS_START).
    private static let firstInherited: Int32 = 3

    /// Reads the environment. Variables that are meant for another process (`LISTEN_PID`,
    /// `WATCHDOG_PID`) are ignored.
    package init(environment: @escaping (String) -> String? = ServiceSupervisor.variable) {
        let socket = environment("NOTIFY_SOCKET") ?? ""
        notifySocket = socket.hasPrefix("/") || socket.hasPrefix("@") ? socket : nil
        let isForUs: (String) -> Bool = { environment($0).flatMap { Int32($0) } == getpid() }
        inheritedCount =
            isForUs("LISTEN_PID") ? min(max(0, Int(environment("LISTEN_FDS") ?? "") ?? 0), 64) : 0
        let watches = environment("WATCHDOG_PID") == nil || isForUs("WATCHDOG_PID")
        watchdogMicroseconds = watches ? environment("WATCHDOG_USEC").flatMap { UInt64($0) } : nil
    }

    package static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    // MARK: Notification

    /// Reports that connections are accepted.
    package func ready() { send("READY=1") }

    /// Reports that the start is still in progress and may take this much longer.
    package func starting(forSeconds seconds: Int) {
        send("EXTEND_TIMEOUT_USEC=\(seconds * 1_000_000)")
    }

    /// Reports that the configuration is being reloaded; `ready` ends it. `Type=notify-reload`
    /// requires the time.
    package func reloading() {
        send("RELOADING=1\nMONOTONIC_USEC=\(MonotonicTime.now().nanoseconds / 1000)")
    }

    /// Reports that the service is stopping.
    package func stopping() { send("STOPPING=1") }

    /// Sends the watchdog's keep-alive.
    package func isAlive() { send("WATCHDOG=1") }

    /// Sends one datagram; if it is not received, that is not this service's failure.
    private func send(_ text: String) {
        guard let notifySocket else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(notifySocket.utf8)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { field in
            field.copyBytes(from: path)
            // An abstract name begins with a NUL, written as `@` (unix(7)).
            if path[0] == UInt8(ascii: "@") { field[0] = 0 }
        }
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return }
        defer { Glibc.close(descriptor) }
        // An abstract name is delimited by its length, so the field's remaining NULs must not be
        // included.
        let length = socklen_t(
            MemoryLayout<sa_family_t>.size + path.count + (path[0] == UInt8(ascii: "/") ? 1 : 0))
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }

    // MARK: Socket activation

    /// The listening sockets that systemd has bound for this process, by address. They are made
    /// close-on-exec and non-blocking.
    package func inheritedSockets() throws(Errno) -> [SocketAddress: ListeningSocket] {
        var sockets: [SocketAddress: ListeningSocket] = [:]
        for number in 0..<inheritedCount {
            let descriptor = Self.firstInherited + Int32(number)
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
                throw Errno(rawValue: errno)
            }
            let socket = try ListeningSocket(inherited: descriptor)
            sockets[socket.address] = socket
        }
        return sockets
    }
}
