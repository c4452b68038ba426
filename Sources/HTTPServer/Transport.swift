import Glibc
import Platform
import TLS

/// A connection's bytes, plain or through TLS, without blocking: each call does what is possible at
/// once and returns what must happen before the next call.
final class Transport {
    enum Step {
        case bytes(Int)
        case wantsRead
        case wantsWrite
        /// The peer ended its side in order.
        case end
        case failed(ConnectionFault)
    }

    let channel: Channel
    private let context: TLSContext?
    /// Nil before `beginTLS`.
    private var tls: TLSSession?
    /// Whether the last read emptied the socket.
    private var isEmptied = false

    init(channel: Channel, tls context: TLSContext?) {
        self.channel = channel
        self.context = context
    }

    var isTLS: Bool { context != nil }
    var isResumed: Bool { tls?.isResumed ?? false }
    var clientCertificate: String? { tls?.peerCertificateSubject }

    /// Waits for the client's first TLS record, or for any other byte, before a session is created.
    /// A session takes some 50 KiB, so none is created for a client that sends nothing; until then
    /// its bytes stay in the kernel.
    func peekHello() -> Step {
        channel.beginRead()
        return unsafe withUnsafeTemporaryAllocation(
            byteCount: Self.recordHeadBytes, alignment: 1
        ) { head in
            while true {
                let count = unsafe Glibc.recv(
                    channel.descriptor, head.baseAddress, head.count, Int32(MSG_PEEK))
                if count == 0 { return .end }
                if count > 0 {
                    let bytes = unsafe UnsafeRawBufferPointer(rebasing: head[..<count])
                    return unsafe isRecordWhole(bytes) ? .bytes(count) : .wantsRead
                }
                switch errno {
                case EINTR: continue
                case EAGAIN: return .wantsRead
                default: return .failed(.reset)
                }
            }
        }
    }

    /// Whether the record is complete, by its type, version and length (RFC 8446 §5.1).
    private func isRecordWhole(_ head: UnsafeRawBufferPointer) -> Bool {
        guard unsafe head[0] == Self.handshakeType else { return true }
        guard head.count == Self.recordHeadBytes else { return false }
        let length = unsafe Int(head[3]) << 8 | Int(head[4])
        var queued: Int32 = 0
        guard unsafe ioctl(channel.descriptor, UInt(FIONREAD), &queued) == 0 else { return true }
        return Int(queued) >= Self.recordHeadBytes + min(length, Self.recordBytesMax)
    }

    private static let handshakeType: UInt8 = 22
    private static let recordHeadBytes = 5
    private static let recordBytesMax = 1 << 14

    /// Creates the session if the connection uses TLS.
    func beginTLS() {
        guard let context else { return }
        tls = TLSSession(accepting: context, descriptor: channel.descriptor)
    }

    /// Continues the TLS handshake.
    func handshake() -> Step {
        channel.beginRead()
        channel.beginWrite()
        let step = Step(tls!.handshake())
        if case .wantsRead = step { tls!.freeBuffers() }
        return step
    }

    /// Reads the available bytes, at most the size of `buffer`.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Step {
        channel.beginRead()
        if tls != nil {
            return unsafe Step(tls!.read(into: buffer))
        }
        while true {
            let count = unsafe Glibc.recv(channel.descriptor, buffer.baseAddress, buffer.count, 0)
            isEmptied = count < buffer.count
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wantsRead
            default: return .failed(.reset)
            }
        }
    }

    /// Whether a read may find something. A read that did not fill its buffer emptied the socket,
    /// so the call that would return `EAGAIN` (one per answer) is skipped until the kernel reports
    /// new bytes. TLS may hold decrypted bytes, so it is always tried.
    var mayRead: Bool { isTLS || !isEmptied || channel.mayRead }

    /// Whether all bytes of the client were read. TLS may hold a record, and the kernel does not
    /// report events of a channel that is not watched, so in both cases a read is tried.
    func isEmpty(trying scratch: UnsafeMutableRawBufferPointer) -> Bool {
        if tls == nil, channel.isWatched { return isEmptied && !channel.mayRead }
        switch unsafe read(into: scratch) {
        case .wantsRead: return true
        // Closing a socket at its end does not reset it.
        case .end: return tls == nil
        default: return false
        }
    }

    /// Writes as much as the socket takes.
    ///
    /// - Parameter isLast: `shutdownWrite` follows these bytes immediately, so they are sent
    ///   together with the end of the stream, which saves a packet on both sides (tcp(7), TCP_CORK;
    ///   send(2), MSG_MORE).
    func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool = false) -> Step {
        channel.beginWrite()
        if tls != nil {
            if isLast { cork() }
            return unsafe Step(tls!.write(bytes))
        }
        // MSG_NOSIGNAL: a closed peer is an error of this call, not a signal to the process.
        let flags = Int32(isLast ? MSG_NOSIGNAL | MSG_MORE : MSG_NOSIGNAL)
        while true {
            let count = unsafe Glibc.send(
                channel.descriptor, bytes.baseAddress, bytes.count, flags)
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wantsWrite
            default: return .failed(.reset)
            }
        }
    }

    private func cork() {
        var one: Int32 = 1
        _ = unsafe setsockopt(channel.descriptor, Int32(IPPROTO_TCP), TCP_CORK, &one, 4)
    }

    /// Ends the TLS session, if there is one, to mark the stream as complete.
    private func endSession() {
        if tls != nil { _ = tls!.shutdown() }
    }

    /// Ends the stream: the peer sees that nothing more will be sent.
    func shutdownWrite() {
        endSession()
        _ = Glibc.shutdown(channel.descriptor, Int32(SHUT_WR))
    }
}

extension Transport.Step {
    fileprivate init(_ step: TLSSession.Step) {
        switch step {
        case .done(let count): self = .bytes(count)
        case .wantsRead: self = .wantsRead
        case .wantsWrite: self = .wantsWrite
        case .closed: self = .end
        case .failed(let error): self = .failed(.tls(error))
        }
    }
}
