import Glibc
package import Platform
package import TLS

/// A small HTTP/1.1 client for one destination: it sends exactly the given bytes and reads one
/// answer, over one connection that it keeps alive if possible. Blocking; one thread at a time may
/// use it. With TLS the process must ignore SIGPIPE (`TLSSession`).
package final class RawClient {
    package let destination: Destination
    private let tls: TLSClient?
    private let limits: ClientLimits
    private let waits: SocketWait
    private var stream: ByteStream?
    private var chunk = [UInt8](repeating: 0, count: 16_384)

    /// Number of connections made so far.
    package private(set) var connections = 0

    /// - Parameters:
    ///   - tls: Trust settings; required if the destination is `https`.
    ///   - clock: The clock of the limits.
    package init(
        _ destination: Destination, tls: TLSClient? = nil, limits: ClientLimits = .init(),
        clock: any Clock = SystemClock()
    ) {
        precondition(!destination.usesTLS || tls != nil, "https needs a TLSClient")
        self.destination = destination
        self.tls = tls
        self.limits = limits
        waits = SocketWait(clock: clock)
    }

    /// Sends a complete request and returns its answer.
    ///
    /// If the server has meanwhile closed a kept connection, the request is sent again over a new
    /// one: no byte of an answer came, and a notification may be repeated.
    ///
    /// - Parameter answersHead: Whether the request is a HEAD.
    package func exchange(
        _ request: [UInt8], answersHead: Bool = false
    ) throws(ClientError) -> ReceivedResponse {
        if let kept = stream, !kept.isStale {
            do throws(ClientError) {
                return try exchange(request, over: kept, answersHead)
            } catch {
                stream = nil
                switch error {
                case .closed(0), .lost: break
                default: throw error
                }
            }
        }
        stream = nil
        let fresh = try ByteStream(
            destination, tls: tls,
            Deadline(.connect, milliseconds: limits.connectMillisecondsMax, waits))
        connections += 1
        stream = fresh
        do throws(ClientError) {
            return try exchange(request, over: fresh, answersHead)
        } catch {
            stream = nil
            throw error
        }
    }

    /// Closes the connection.
    package func close() { stream = nil }

    private func exchange(
        _ request: [UInt8], over stream: ByteStream, _ answersHead: Bool
    ) throws(ClientError) -> ReceivedResponse {
        let deadline = Deadline(
            .request, milliseconds: limits.exchangeMillisecondsMax, waits)
        var writeFailure: ClientError?
        do throws(ClientError) {
            try stream.write(request, deadline)
        } catch {
            // A server may refuse a request before it has read all of it (RFC 9112 §9.6); its
            // answer explains more than a broken pipe does.
            guard case .lost = error else { throw error }
            writeFailure = error
        }
        var parser = ResponseParser(limits: limits, answersHead: answersHead)
        do throws(ClientError) {
            return try receive(
                &parser, stream, Deadline(.answer, as: deadline), writeFailure != nil)
        } catch {
            if parser.bytesSeen == 0, let writeFailure { throw writeFailure }
            if parser.bytesSeen > 0, case .lost = error {
                throw .closed(afterBytes: parser.bytesSeen)
            }
            throw error
        }
    }

    private func receive(
        _ parser: inout ResponseParser, _ stream: ByteStream, _ deadline: Deadline,
        _ closes: Bool
    ) throws(ClientError) -> ReceivedResponse {
        while true {
            let count = try stream.read(into: &chunk, deadline)
            guard count > 0 else {
                self.stream = nil
                return try parser.end()
            }
            guard let response = try parser.feed(chunk[..<count]) else { continue }
            if !response.keepsAlive || parser.surplus > 0 || closes { self.stream = nil }
            return response
        }
    }
}

/// Limits of a client. An answer to a notification is a few bytes within seconds; anything beyond
/// these limits is a fault of the receiver.
package struct ClientLimits: Sendable, Equatable {
    /// Milliseconds until a connection is established, including TLS.
    package var connectMillisecondsMax = 10_000
    /// Milliseconds from the request's first byte to the answer's last. Some providers wait
    /// 30 seconds; the others publish nothing or less.
    package var exchangeMillisecondsMax = 30_000
    /// Bytes of an answer's head.
    package var headBytesMax = 65_536
    /// Bytes of an answer's body.
    package var bodyBytesMax = 1 << 20
    /// Bytes of a chunk's size line.
    package var chunkLineBytesMax = 1024

    package init() {}
}

/// The time at which a step must end.
struct Deadline {
    let phase: ClientError.Phase
    private let moment: MonotonicTime
    private let waits: SocketWait

    init(_ phase: ClientError.Phase, milliseconds: Int, _ waits: SocketWait) {
        self.phase = phase
        self.waits = waits
        moment = waits.clock.now.advanced(nanoseconds: UInt64(max(0, milliseconds)) * 1_000_000)
    }

    /// The same time for another step.
    init(_ phase: ClientError.Phase, as other: Deadline) {
        self.phase = phase
        moment = other.moment
        waits = other.waits
    }

    /// Waits for `events` (poll(2)) on `descriptor`.
    ///
    /// - Throws: `timedOut` with this deadline's phase.
    func wait(_ events: Int32, on descriptor: Int32) throws(ClientError) {
        let (reads, writes) = (events & POLLIN != 0, events & POLLOUT != 0)
        switch waits.wait(descriptor, reads: reads, writes: writes, until: moment) {
        case .ready: return
        case .deadline: throw .timedOut(phase)
        case .failed(let errno): throw .lost(errno: errno)
        }
    }
}
