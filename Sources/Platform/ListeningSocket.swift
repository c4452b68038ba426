import CLinux
import Glibc
package import SystemPackage

/// A bound, listening, non-blocking socket. The owner closes it.
package struct ListeningSocket: Sendable {
    package let descriptor: Int32
    /// The bound address: if port 0 was requested, with the port that the kernel chose.
    package let address: SocketAddress

    /// Sharing of a TCP port by several sockets (`SO_REUSEPORT`, socket(7)).
    package enum Sharing {
        /// The port is exclusive.
        case none
        /// The port must have been free; other sockets may join.
        case founded
        /// Other sockets of the same user may already use the port.
        case joined
    }

    /// Binds and listens.
    ///
    /// - Parameters:
    ///   - sharing: Whether other sockets may listen on the same TCP port.
    ///   - permissions: Mode of a Unix-domain socket's file: write permission allows to connect
    ///     (unix(7)). Nil leaves it to the umask.
    ///   - backlog: Number of connections that wait for `accept`; the kernel caps it at
    ///     `somaxconn`.
    /// - Throws: The kernel's error; `addressInUse` also for a Unix socket that a live process
    ///   serves. A dead process's socket file is replaced.
    package init(
        _ wanted: SocketAddress, sharing: Sharing = .none, permissions: FilePermissions? = nil,
        backlog: Int32 = 4096
    ) throws(Errno) {
        let kind =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = Glibc.socket(wanted.family, kind, 0)
        guard socket >= 0 else { throw Errno(rawValue: errno) }
        do throws(Errno) {
            if case .unix(let path) = wanted {
                try Self.removeDeadSocket(at: path, address: wanted)
            } else {
                try Self.enable(SO_REUSEADDR, SOL_SOCKET, on: socket)
                if sharing == .joined { try Self.enable(SO_REUSEPORT, SOL_SOCKET, on: socket) }
            }
            if case .ip = wanted { Self.setTCPOptions(socket) }
            if case .ip(.v6, _) = wanted {
                try Self.enable(IPV6_V6ONLY, Int32(IPPROTO_IPV6), on: socket)
            }
            guard wanted.withSockaddr({ bind(socket, $0, $1) }) == 0 else {
                throw Errno(rawValue: errno)
            }
            if sharing == .founded { try Self.enable(SO_REUSEPORT, SOL_SOCKET, on: socket) }
            // Before `listen`, while connections are still refused whatever the permissions are.
            if case .unix(let path) = wanted, let permissions,
                chmod(path, permissions.rawValue) != 0
            {
                throw Errno(rawValue: errno)
            }
            guard listen(socket, backlog) == 0 else { throw Errno(rawValue: errno) }
        } catch {
            Glibc.close(socket)
            throw error
        }
        descriptor = socket
        address = Self.boundAddress(of: socket) ?? wanted
    }

    /// One listening socket per loop: the kernel spreads the connections to a TCP port over them
    /// (`SO_REUSEPORT`). A Unix-domain path has one socket, which the loops share.
    ///
    /// The first socket binds the port without sharing. With sharing, a second ipnd on the same
    /// port would not fail but silently take half of the notifications. The port is shared from
    /// then on, and never free in between.
    package static func group(
        _ wanted: SocketAddress, count: Int, permissions: FilePermissions? = nil
    ) throws(Errno) -> [ListeningSocket] {
        guard count > 1, case .ip = wanted else {
            return [try ListeningSocket(wanted, permissions: permissions)]
        }
        let first = try ListeningSocket(wanted, sharing: .founded)
        var sockets = [first]
        while sockets.count < count {
            do throws(Errno) {
                sockets.append(try ListeningSocket(first.address, sharing: .joined))
            } catch {
                for socket in sockets { Glibc.close(socket.descriptor) }
                throw error
            }
        }
        return sockets
    }

    /// Takes over a socket that another process bound (systemd's socket activation).
    package init(inherited descriptor: Int32) throws(Errno) {
        guard let address = Self.boundAddress(of: descriptor) else { throw Errno(rawValue: errno) }
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 else {
            throw Errno(rawValue: errno)
        }
        if case .ip = address { Self.setTCPOptions(descriptor) }
        self.descriptor = descriptor
        self.address = address
    }

    /// Duplicates the descriptor for a second loop that listens on the same socket.
    package func duplicated() -> ListeningSocket {
        ListeningSocket(
            descriptor: fcntl(descriptor, F_DUPFD_CLOEXEC, 0), address: address)
    }

    private init(descriptor: Int32, address: SocketAddress) {
        self.descriptor = descriptor
        self.address = address
    }

    /// Limits the bytes of a connection's answers that wait in the kernel unsent (tcp(7),
    /// TCP_NOTSENT_LOWAT). Beyond the limit a write waits, so a client that reads nothing holds
    /// neither the megabytes of the kernel's default nor further requests. Accepted connections
    /// inherit it.
    package func limitUnsent(bytes: Int) {
        guard case .ip = address else { return }
        var value = Int32(clamping: bytes)
        _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &value, 4)
    }

    /// Accepts one connection, non-blocking and close-on-exec; returns nil if none waits.
    /// `ECONNABORTED` and similar errors concern one connection: the next one may be fine
    /// (accept(2)).
    package func accept() throws(Errno) -> (descriptor: Int32, peer: SocketAddress)? {
        while true {
            if let accepted = try acceptOnce() { return accepted.connection }
        }
    }

    private struct Accepted { var connection: (descriptor: Int32, peer: SocketAddress)? }

    /// Returns nil if the connection that waited has gone.
    private func acceptOnce() throws(Errno) -> Accepted? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let accepted = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                ipnd_accept4(
                    descriptor, $0, &length, Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue))
            }
        }
        guard accepted < 0 else {
            return Accepted(connection: (accepted, SocketAddress(storage)))
        }
        switch errno {
        case EAGAIN: return Accepted(connection: nil)
        case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, EHOSTUNREACH,
            ENETUNREACH, EOPNOTSUPP, ENONET:
            return nil
        default:
            throw Errno(rawValue: errno)
        }
    }

    private static func enable(_ option: Int32, _ level: Int32, on socket: Int32) throws(Errno) {
        var one: Int32 = 1
        guard setsockopt(socket, level, option, &one, 4) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Set on the listening socket, from which accepted sockets inherit it without another system
    /// call.
    private static func setTCPOptions(_ socket: Int32) {
        // An answer is one write: waiting to fill a segment (Nagle) would only delay it.
        var one: Int32 = 1
        _ = setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        var bytes = segmentBytesMax
        _ = setsockopt(socket, Int32(IPPROTO_TCP), TCP_MAXSEG, &bytes, 4)
    }

    /// Ethernet's, also on loopback, where it would be 65,483. A segment of 48 KB does not fit the
    /// window of 45 KB that a reader opens again after a pause, and the kernel then sends the rest
    /// only with its next probe of a closed window: after as many seconds again as the reader had
    /// paused, up to 120. The kernel still passes segments on in bulk: loopback carries 3.4 GB/s in
    /// place of 5 on two cores, and small answers cost the same.
    private static let segmentBytesMax: Int32 = 1460

    private static func boundAddress(of socket: Int32) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(socket, $0, &length)
            }
        }
        return status == 0 ? SocketAddress(storage) : nil
    }

    /// Removes a socket file that outlived its process; only a refused connection proves that.
    private static func removeDeadSocket(at path: String, address: SocketAddress) throws(Errno) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .addressInUse }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard probe >= 0 else { throw Errno(rawValue: errno) }
        defer { Glibc.close(probe) }
        let answer = address.withSockaddr { connect(probe, $0, $1) }
        guard answer != 0, errno == ECONNREFUSED else { throw .addressInUse }
        unlink(path)
    }
}
