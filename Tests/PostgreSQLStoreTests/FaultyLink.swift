import Glibc
import Platform
import Synchronization

/// A proxy between a store and its server on a separate Unix socket, which injects faults.
///
/// It searches the client's bytes for the name of the prepared statement that commits, so that a
/// fault can be injected exactly before, during or after the commit.
final class FaultyLink: Sendable {
    enum Fault: Sendable {
        /// The commit does not reach the server: both connections are cut.
        case loseCommit
        /// The server commits, and its answer is lost: both connections are cut.
        case loseAnswer
        /// The server commits, and its answer is never delivered.
        case swallowAnswer
        /// The round trip that loads is cut.
        case cutLoading
    }

    private struct State: ~Copyable {
        var fault: Fault?
        var isDown = false
        var sockets: [Int32] = []
        var faultsDone = 0
        var connections = 0
    }

    /// The host of the connection string.
    let directory: String
    private let server: String
    private let listener: Int32
    private let state = Mutex(State())

    /// - Parameter server: The path of the server's socket.
    init(server: String) throws {
        self.server = server
        directory = "/tmp/ipnd-link-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        mkdir(directory, 0o700)
        listener = Self.socket("\(directory)/.s.PGSQL.5432") {
            let status = bind($0, $1, $2)
            return status == 0 ? listen($0, 16) : status
        }
        PlatformThread.detached(name: "link") { [self] in accept() }
    }

    /// Stops it; the accepting thread keeps it alive until then.
    func stop() {
        setDown(true)
        shutdown(listener, Int32(SHUT_RDWR))
        unlink("\(directory)/.s.PGSQL.5432")
        rmdir(directory)
    }

    /// Sets the fault of the next connections; it is injected once.
    func set(_ fault: Fault?) { state.withLock { $0.fault = fault } }

    var faultsDone: Int { state.withLock { $0.faultsDone } }
    var connections: Int { state.withLock { $0.connections } }

    /// Refuses connections and cuts the existing ones; or lets connections through again.
    func setDown(_ isDown: Bool) {
        state.withLock { state in
            state.isDown = isDown
            guard isDown else { return }
            // Under the lock: a descriptor that `cut` has closed may be reused at once.
            for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
            state.sockets.removeAll()
        }
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else {
                // EINVAL comes from `stop`; a disconnected client is not the end.
                guard errno == EINVAL else { continue }
                close(listener)
                return
            }
            let upstream = Self.socket(server) { connect($0, $1, $2) }
            let isKept = state.withLock { state in
                guard upstream >= 0, !state.isDown else { return false }
                state.sockets += [client, upstream]
                state.connections += 1
                return true
            }
            guard isKept else {
                close(client)
                if upstream >= 0 { close(upstream) }
                continue
            }
            PlatformThread.detached(name: "link") { [self] in relay(client, upstream) }
        }
    }

    private func relay(_ client: Int32, _ upstream: Int32) {
        var swallows = false
        var loses = false
        while true {
            var interest = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: upstream, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&interest, 2, -1) > 0 else { break }
            if interest[0].revents != 0 {
                let bytes = Self.read(client)
                if bytes.isEmpty { break }
                switch take(bytes) {
                case .loseCommit, .cutLoading: return cut(client, upstream)
                case .loseAnswer: loses = true
                case .swallowAnswer: swallows = true
                case nil: break
                }
                Self.write(upstream, bytes)
            }
            if interest[1].revents != 0 {
                let bytes = Self.read(upstream)
                if bytes.isEmpty || loses { break }
                if !swallows { Self.write(client, bytes) }
            }
        }
        cut(client, upstream)
    }

    /// Takes the fault that these bytes trigger.
    private func take(_ bytes: [UInt8]) -> Fault? {
        func names(_ statement: String) -> Bool {
            let name = [0] + Array(statement.utf8) + [0]
            return bytes.indices.contains { bytes[$0...].starts(with: name) }
        }
        return state.withLock { state in
            guard let fault = state.fault else { return nil }
            if case .cutLoading = fault {
                guard names("known") else { return nil }
            } else {
                guard names("commit") else { return nil }
            }
            state.fault = nil
            state.faultsDone += 1
            return fault
        }
    }

    private func cut(_ client: Int32, _ upstream: Int32) {
        state.withLock { state in state.sockets.removeAll { [client, upstream].contains($0) } }
        close(client)
        close(upstream)
    }

    private static func read(_ socket: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = Glibc.read(socket, &bytes, bytes.count)
        return count > 0 ? Array(bytes.prefix(count)) : []
    }

    private static func write(_ socket: Int32, _ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(socket, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    private static func socket(
        _ path: String,
        _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                use(descriptor, $0, length)
            }
        }
        guard status == 0 else {
            close(descriptor)
            return -1
        }
        return descriptor
    }
}
