import HTTP
import Platform

/// One client connection, from accept to close, as the straight line that it is:
/// `handshake → (read request → respond → write response)* → close`.
///
/// Lives in one task on one event loop.
final class Connection {
    private let transport: Transport
    private let channel: Channel
    private let loop: EventLoop
    private let home: ServerLoop
    private let limits: Limits
    private let proxy: ProxySettings
    private let drain: DrainState
    private var peer: SocketAddress
    private var parser: RequestParser
    /// Bytes of a following request that came with the last one (pipelining).
    private var pending: [UInt8] = []
    private var output: [UInt8] = []
    private let opened: MonotonicTime
    private let presence = ClientPresence()
    private var requestsServed = 0

    /// No request has begun: the connection can be closed without taking anything from anybody.
    private(set) var isIdle = true
    private var drainIsOver = false

    init(
        channel: Channel, peer: SocketAddress, listener: ListenerSettings, server: ServerShared,
        home: ServerLoop
    ) {
        self.home = home
        self.channel = channel
        self.peer = peer
        loop = channel.loop
        limits = home.current.limits
        proxy = listener.proxy
        drain = server.drain
        transport = Transport(channel: channel, tls: listener.tls)
        parser = RequestParser(limits: limits)
        opened = channel.loop.now
        let presence = presence
        channel.onPeerClosed = { presence.end() }
    }

    /// Serves the connection until it ends, and closes it.
    func serve() async {
        do throws(ConnectionEnd) {
            if proxy.usesProxyProtocol { try await readProxyHeader() }
            try await handshake()
            while let request = try await readRequest() {
                let context = context(for: request)
                let response = await home.handler.respond(to: request, in: context)
                guard try await write(response, to: request) else { break }
            }
            if !channel.peerClosed { await linger() }
        } catch {
            await finish(error)
        }
        channel.close()
    }

    /// The drain's patience with idle connections is over: ends this one if it is idle.
    func interruptIfIdle() {
        drainIsOver = true
        if isIdle { channel.interrupt() }
    }

    private func context(for request: Request) -> RequestContext {
        RequestContext(
            peer: peer, client: ForwardedAddress.client(of: request, peer: peer, proxy: proxy),
            isTLS: transport.isTLS, clientCertificate: transport.clientCertificate,
            presence: presence)
    }

    private var anonymousContext: RequestContext {
        var client: IPAddress?
        if case .ip(let address, _) = peer { client = address }
        return RequestContext(
            peer: peer, client: client, isTLS: transport.isTLS, clientCertificate: nil)
    }

    // MARK: Opening

    private func readProxyHeader() async throws(ConnectionEnd) {
        var decoder = ProxyProtocolDecoder()
        let deadline = opened.advanced(seconds: limits.headSecondsMax)
        while true {
            // The header is read byte-exact from the socket, before TLS: what follows it is not ours.
            switch decoder.read(from: channel.descriptor) {
            case .address(let source):
                if let source { peer = source }
                return
            case .needsBytes:
                channel.beginRead()
                if case .deadline = await channel.awaitReadable(until: deadline) {
                    throw .broken("proxy_header_timeout")
                }
            case .invalid(let reason):
                throw .broken(reason)
            case .end:
                throw .closed
            }
        }
    }

    private func handshake() async throws(ConnectionEnd) {
        let deadline = opened.advanced(seconds: limits.handshakeSecondsMax)
        while true {
            let wake: Channel.Wake
            switch transport.handshake() {
            case .bytes: return
            case .wantsRead: wake = await channel.awaitReadable(until: deadline)
            case .wantsWrite: wake = await channel.awaitWritable(until: deadline)
            case .end: throw .closed
            case .failed(let reason): throw .broken(reason)
            }
            if case .deadline = wake { throw .broken("tls_handshake_timeout") }
        }
    }

    // MARK: Reading

    /// The next request; nil when the client has none or the server drains.
    private func readRequest() async throws(ConnectionEnd) -> Request? {
        var clock = RequestClock(now: loop.now, limits: limits)
        isIdle = true
        if !pending.isEmpty {
            let bytes = pending
            pending = []
            try feed(bytes.span, clock: &clock)
            try await sayContinueIfExpected()
        }
        while parser.status != .complete {
            if !parser.hasBegun && drainIsOver { return nil }
            switch transport.read(into: loop.scratch) {
            case .bytes(let count):
                let input = UnsafeRawBufferPointer(rebasing: loop.scratch[..<count])
                try feed(input.bindMemory(to: UInt8.self).span, clock: &clock)
                try await sayContinueIfExpected()
                guard parser.status != .complete else { break }
                if transport.mayReadMore(after: count, of: loop.scratch.count) { continue }
                try await waitForBytes(clock)
            case .wantsRead:
                try await waitForBytes(clock)
            case .wantsWrite:
                _ = await channel.awaitWritable(until: clock.deadline)
            case .end:
                guard parser.hasBegun else { return nil }
                throw .refused(HTTPError(.requestIncomplete))
            case .failed(let reason):
                throw .broken(reason)
            }
        }
        return parser.takeRequest()
    }

    /// Gives `bytes` to the parser, and what the parser does not want to `pending`.
    private func feed(_ bytes: Span<UInt8>, clock: inout RequestClock) throws(ConnectionEnd) {
        let consumed: Int
        do throws(HTTPError) {
            consumed = try parser.feed(bytes)
        } catch {
            throw .refused(error)
        }
        for index in consumed..<bytes.count { pending.append(bytes[index]) }
        if parser.hasBegun { isIdle = false }
        clock.advance(to: parser, now: loop.now)
    }

    private func sayContinueIfExpected() async throws(ConnectionEnd) {
        guard parser.status == .expectsContinue else { return }
        try await write(ResponseEncoder.continueBytes)
    }

    private func waitForBytes(_ clock: RequestClock) async throws(ConnectionEnd) {
        switch await channel.awaitReadable(until: clock.deadline) {
        case .ready, .interrupted: return
        case .deadline: throw clock.phase == .idle ? .closed : .refused(clock.timeout)
        }
    }

    // MARK: Writing

    /// Answers `request`; false when that was this connection's last answer.
    private func write(_ response: Response, to request: Request) async throws(ConnectionEnd)
        -> Bool
    {
        requestsServed += 1
        // Without chunks, only the end of the connection ends a streamed body.
        let endsBody = response.stream != nil && request.version == .http10
        let isLast =
            !request.keepAlive || endsBody || drain.isDraining
            || requestsServed >= limits.requestsPerConnectionMax
            || loop.now >= opened.advanced(seconds: limits.connectionSecondsMax)
        output.removeAll(keepingCapacity: true)
        ResponseEncoder.encode(
            response, omitBody: request.method == .head, close: isLast,
            date: home.date(), version: request.version, into: &output)
        try await write(output)
        if let stream = response.stream, request.method != .head {
            try await send(stream, inChunks: !endsBody)
        }
        return !isLast
    }

    private func send(
        _ stream: @Sendable (any BodyWriter) async throws -> Void, inChunks: Bool
    ) async throws(ConnectionEnd) {
        let writer = StreamWriter(inChunks: inChunks) { bytes throws(ConnectionEnd) in
            try await self.write(bytes)
        }
        do { try await stream(writer) } catch { throw .closed }
        if inChunks { try await write(ResponseEncoder.lastChunk) }
    }

    private func write(_ bytes: [UInt8]) async throws(ConnectionEnd) {
        var sent = 0
        var deadline = loop.now.advanced(seconds: limits.writeStallSecondsMax)
        while sent < bytes.count {
            let wake: Channel.Wake
            switch bytes.withUnsafeBytes({ transport.write(.init(rebasing: $0[sent...])) }) {
            case .bytes(let count):
                sent += count
                deadline = loop.now.advanced(seconds: limits.writeStallSecondsMax)
                continue
            case .wantsWrite: wake = await channel.awaitWritable(until: deadline)
            case .wantsRead: wake = await channel.awaitReadable(until: deadline)
            case .end: throw .closed
            case .failed(let reason): throw .broken(reason)
            }
            if case .deadline = wake { throw .broken("write_stalled") }
        }
    }

    // MARK: Closing

    private func finish(_ end: ConnectionEnd) async {
        switch end {
        case .closed:
            break
        case .broken(let reason):
            home.handler.refused(reason, status: nil, in: anonymousContext)
        case .refused(let error):
            home.handler.refused(error.reason, status: error.status, in: anonymousContext)
            output.removeAll(keepingCapacity: true)
            ResponseEncoder.encode(
                Response(error), omitBody: parser.method == .head, close: true, date: home.date(),
                into: &output)
            do throws(ConnectionEnd) {
                try await write(output)
                await linger()
            } catch {
                // The client does not take the answer; there is nobody left to tell.
            }
        }
    }

    /// Reads on for a while after the last answer: closing a socket with unread bytes resets the
    /// connection, and the reset overtakes the answer (RFC 9112 §9.6).
    private func linger() async {
        transport.shutdownWrite()
        let deadline = loop.now.advanced(seconds: limits.lingerSecondsMax)
        while loop.now < deadline {
            switch transport.read(into: loop.scratch) {
            case .bytes: continue
            case .wantsRead:
                guard case .ready = await channel.awaitReadable(until: deadline) else { return }
            case .wantsWrite, .end, .failed: return
            }
        }
    }
}
