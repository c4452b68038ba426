import Glibc
import Platform
import TLS

/// A connection's bytes, plain or through TLS, without waiting: every call does what can be done
/// now and says what would have to happen before it can do more.
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
    /// From `beginTLS` on.
    private var tls: TLSSession?
    /// The last read took all that the socket had.
    private var isEmptied = false

    init(channel: Channel, tls context: TLSContext?) {
        self.channel = channel
        self.context = context
    }

    var isTLS: Bool { context != nil }
    var isResumed: Bool { tls?.isResumed ?? false }
    var clientCertificate: String? { tls?.peerCertificateSubject }

    /// Whether the client's first TLS record has come, or something else that is none: then the
    /// session can begin. A session takes some 50 KiB, so it is not made for a client that has
    /// not said what it wants; until then its bytes stay in the kernel.
    func peekHello() -> Step {
        channel.beginRead()
        return withUnsafeTemporaryAllocation(
            byteCount: Self.recordHeadBytes, alignment: 1
        ) { head in
            while true {
                let count = Glibc.recv(
                    channel.descriptor, head.baseAddress, head.count, Int32(MSG_PEEK))
                if count == 0 { return .end }
                if count > 0 {
                    let bytes = UnsafeRawBufferPointer(rebasing: head[..<count])
                    return isRecordWhole(bytes) ? .bytes(count) : .wantsRead
                }
                switch errno {
                case EINTR: continue
                case EAGAIN: return .wantsRead
                default: return .failed(.reset)
                }
            }
        }
    }

    /// RFC 8446 §5.1: type, version, length. False while it may yet become a whole record.
    private func isRecordWhole(_ head: UnsafeRawBufferPointer) -> Bool {
        guard head[0] == Self.handshakeType else { return true }
        guard head.count == Self.recordHeadBytes else { return false }
        let length = Int(head[3]) << 8 | Int(head[4])
        var queued: Int32 = 0
        guard ioctl(channel.descriptor, UInt(FIONREAD), &queued) == 0 else { return true }
        return Int(queued) >= Self.recordHeadBytes + min(length, Self.recordBytesMax)
    }

    private static let handshakeType: UInt8 = 22
    private static let recordHeadBytes = 5
    private static let recordBytesMax = 1 << 14

    /// Makes the session, of a connection that has one.
    func beginTLS() {
        guard let context else { return }
        tls = TLSSession(accepting: context, descriptor: channel.descriptor)
    }

    /// Goes on with the TLS handshake.
    func handshake() -> Step {
        channel.beginRead()
        channel.beginWrite()
        let step = Step(tls!.handshake())
        if case .wantsRead = step { tls!.freeBuffers() }
        return step
    }

    /// Reads what is there, at most as much as `buffer` holds.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Step {
        channel.beginRead()
        if tls != nil {
            return Step(tls!.read(into: buffer))
        }
        while true {
            let count = Glibc.recv(channel.descriptor, buffer.baseAddress, buffer.count, 0)
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

    /// Whether a read could find something. One that did not fill its buffer emptied the socket, so
    /// the system call that would say `EAGAIN` is saved, after every answer for one, until the
    /// kernel reports something. TLS may hold decrypted bytes: always try.
    var mayRead: Bool { isTLS || !isEmptied || channel.mayRead }

    /// Whether the client has sent nothing that was not read. TLS may hold a record, and of a
    /// channel that is not watched nobody tells: they are asked.
    func isEmpty(trying scratch: UnsafeMutableRawBufferPointer) -> Bool {
        if tls == nil, channel.isWatched { return isEmptied && !channel.mayRead }
        switch read(into: scratch) {
        case .wantsRead: return true
        // A socket at its end is not reset by being closed.
        case .end: return tls == nil
        default: return false
        }
    }

    /// Writes as much as the socket takes.
    ///
    /// - Parameter isLast: The stream ends behind these bytes, by `shutdownWrite`, at once: they
    ///   leave together with its end, which is one packet less for both sides (tcp(7), TCP_CORK;
    ///   send(2), MSG_MORE).
    func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool = false) -> Step {
        channel.beginWrite()
        if tls != nil {
            if isLast { cork() }
            return Step(tls!.write(bytes))
        }
        // MSG_NOSIGNAL: a peer that is gone is an error here, not a signal to the process.
        let flags = Int32(isLast ? MSG_NOSIGNAL | MSG_MORE : MSG_NOSIGNAL)
        while true {
            let count = Glibc.send(
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
        _ = setsockopt(channel.descriptor, Int32(IPPROTO_TCP), TCP_CORK, &one, 4)
    }

    /// Ends the TLS session, if there is one: the stream is complete, not cut.
    private func endSession() {
        if tls != nil { _ = tls!.shutdown() }
    }

    /// Tells the peer that nothing more will be sent.
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
