import Glibc
import TLS

/// One connection as a stream of bytes, plain or through TLS. Waits with poll(2), never beyond a
/// deadline.
final class ByteStream {
    private let descriptor: Int32
    private var tls: TLSSession?

    /// Connects and performs the TLS handshake if the destination requires it.
    init(
        _ destination: Destination, tls client: TLSClient?, _ deadline: Deadline
    ) throws(ClientError) {
        descriptor = try Dialer.connect(destination.place, deadline)
        guard destination.usesTLS, let client else { return }
        var host = "localhost"
        if case .host(let name, _) = destination.place { host = name }
        tls = TLSSession(connecting: client, descriptor: descriptor, host: host)
        try handshake(Deadline(.handshake, as: deadline))
    }

    deinit {
        if tls != nil { _ = tls!.shutdown() }
        close(descriptor)
    }

    /// Whether unrequested bytes, or the end of the stream, have arrived: the connection cannot be
    /// reused then.
    var isStale: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) != 0
    }

    /// Writes all of `bytes`.
    func write(_ bytes: [UInt8], _ deadline: Deadline) throws(ClientError) {
        var sent = 0
        while sent < bytes.count {
            let step = unsafe bytes.withUnsafeBytes { buffer in
                unsafe writeOnce(UnsafeRawBufferPointer(rebasing: buffer[sent...]))
            }
            sent += try settle(step, deadline) ?? 0
        }
    }

    /// Reads the available bytes into `buffer`; returns 0 at the end of the stream.
    func read(into buffer: inout [UInt8], _ deadline: Deadline) throws(ClientError) -> Int {
        while true {
            let step = unsafe buffer.withUnsafeMutableBytes { unsafe readOnce($0) }
            if case .closed = step { return 0 }
            if let count = try settle(step, deadline) { return count }
        }
    }

    private func handshake(_ deadline: Deadline) throws(ClientError) {
        while true {
            // The session exists: this is called right after it was created.
            let step = tls!.handshake()
            if case .closed = step { throw .closed(afterBytes: 0) }
            if try settle(step, deadline) != nil { return }
        }
    }

    /// Returns the count of a completed step; nil after a wait, when the same call must be
    /// repeated.
    private func settle(_ step: TLSSession.Step, _ deadline: Deadline) throws(ClientError) -> Int? {
        switch step {
        case .done(let count): return count
        case .wantsRead: try deadline.wait(POLLIN, on: descriptor)
        case .wantsWrite: try deadline.wait(POLLOUT, on: descriptor)
        case .closed: throw .closed(afterBytes: 0)
        case .failed(.connectionLost(let code)): throw .lost(errno: code)
        // A stream without close_notify may be incomplete (RFC 8446 §6.1).
        case .failed(.unexpectedEOF): throw .lost(errno: ECONNRESET)
        case .failed(let error): throw .tls(error)
        }
        return nil
    }

    private func writeOnce(_ bytes: UnsafeRawBufferPointer) -> TLSSession.Step {
        if tls != nil { return unsafe tls!.write(bytes) }
        // MSG_NOSIGNAL: a closed peer is an error here, not a signal to the process.
        let count = unsafe send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        return count >= 0 ? .done(count) : Self.step(of: errno, waiting: .wantsWrite)
    }

    private func readOnce(_ buffer: UnsafeMutableRawBufferPointer) -> TLSSession.Step {
        if tls != nil { return unsafe tls!.read(into: buffer) }
        let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count == 0 { return .closed }
        return count > 0 ? .done(count) : Self.step(of: errno, waiting: .wantsRead)
    }

    private static func step(
        of code: Int32, waiting: TLSSession.Step
    ) -> TLSSession.Step {
        code == EAGAIN || code == EINTR ? waiting : .failed(.connectionLost(errno: code))
    }
}
