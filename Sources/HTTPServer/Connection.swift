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
    private let worker: ServerLoop
    private let limits: Limits
    private let proxy: ProxySettings
    private let server: ServerShared
    private var peer: SocketAddress
    private var parser: RequestParser
    private var clock: RequestClock
    /// Bytes of following requests that came with the last one (pipelining), and where those begin
    /// that the parser has not taken. Nothing is read while there are any.
    private var pending: [UInt8] = []
    private var pendingStart = 0
    private var memory: MemoryShare
    /// Reads and requests until the other connections of the loop get their turn.
    private var turnsLeft = Connection.turnsMax
    private static let turnsMax = 32
    private var output: [UInt8] = []
    private let writer: AnswerWriter
    private let opened: MonotonicTime
    private let presence = ClientPresence()
    private var requestsServed = 0
    /// The last request's: nearly always the next one's too.
    private var lastContext: RequestContext?

    /// No request has begun: the connection can be closed without taking anything from anybody.
    private(set) var isIdle = true
    /// When the wait for the present or the next request began.
    private(set) var idleSince: MonotonicTime
    /// No further request is waited for: the drain is over, or somebody else got the place.
    private var drainIsOver = false

    init(
        channel: Channel, peer: SocketAddress, listener: ListenerSettings, server: ServerShared,
        worker: ServerLoop
    ) {
        self.worker = worker
        self.channel = channel
        self.peer = peer
        loop = channel.loop
        limits = worker.current.limits
        proxy = listener.proxy
        self.server = server
        memory = MemoryShare(of: server.memory)
        transport = Transport(channel: channel, tls: listener.tls)
        writer = AnswerWriter(
            transport, memory: server.answers, stallSecondsMax: limits.writeStallSecondsMax)
        parser = RequestParser(limits: limits)
        opened = channel.loop.now
        clock = RequestClock(now: opened, limits: limits)
        idleSince = opened
        let presence = presence
        channel.onPeerClosed = { presence.end() }
        writer.onDrop = { [worker, id = ObjectIdentifier(self)] wait in
            Task(executorPreference: worker.loop) { worker.dropReader(id, of: wait) }
        }
    }

    /// Serves the connection until it ends, and closes it.
    func serve() async {
        // A client that asked to close sends nothing more (RFC 9112 §9.6).
        var clientIsDone = false
        do throws(ConnectionEnd) {
            if proxy.usesProxyProtocol { try await readProxyHeader() }
            try await handshake()
            while let request = try await readRequest() {
                let context = context(for: request)
                let response = await worker.handler.respond(to: request, in: context)
                guard try await write(response, to: request) else {
                    clientIsDone = !request.keepAlive
                    break
                }
                memory.release()
                if mustYield() { await loop.yield() }
            }
            if clientIsDone, pending.isEmpty, transport.isEmpty(trying: loop.scratch) {
                // Nothing that would reset the connection is there, or will come.
                transport.endSession()
            } else if !channel.peerClosed {
                await linger()
            }
        } catch {
            await finish(error)
        }
        memory.release()
        channel.close()
    }

    /// Ends the connection whatever it is doing: the drain's time is over.
    func abort() { channel.shutdown() }

    /// Others need the memory that this client's answer takes.
    func dropReader(of wait: UInt64) {
        writer.drop(wait)
    }

    /// A client that always has more to send must not keep the loop from the other connections,
    /// nor from its own deadlines, which count by the loop's clock.
    private func mustYield() -> Bool {
        turnsLeft -= 1
        guard turnsLeft == 0 else { return false }
        turnsLeft = Self.turnsMax
        return true
    }

    /// Whether nobody would miss it now: no request has begun, and none lies unread in the socket.
    var canBeDisplaced: Bool { isIdle && !drainIsOver && !channel.mayRead }

    /// The drain's patience with idle connections is over, or somebody else needs the place: ends
    /// this one if it is idle.
    func interruptIfIdle() {
        drainIsOver = true
        if isIdle { channel.interrupt() }
    }

    private func context(for request: Request) -> RequestContext {
        // Where no header tells of another client, all requests are the peer's own.
        if proxy.header == nil, let lastContext { return lastContext }
        let client = ForwardedAddress.client(of: request, peer: peer, proxy: proxy)
        if let lastContext, lastContext.client == client { return lastContext }
        let context = RequestContext(
            peer: peer, client: client, isTLS: transport.isTLS,
            clientCertificate: transport.clientCertificate, presence: presence)
        lastContext = context
        return context
    }

    private var anonymousContext: RequestContext {
        var client: IPAddress?
        if case .ip(let address, _) = peer { client = address }
        return RequestContext(
            peer: peer, client: client, isTLS: transport.isTLS, clientCertificate: nil)
    }

    // MARK: Opening

    private func readProxyHeader() async throws(ConnectionEnd) {
        guard proxy.isProxy(peer) else { throw .broken(.proxyHeaderUntrusted) }
        var decoder = ProxyProtocolDecoder()
        let deadline = opened.advanced(seconds: limits.headSecondsMax)
        while true {
            // The header is read byte-exact from the socket, before TLS: what follows it is not
            // ours.
            switch decoder.read(from: channel.descriptor) {
            case .address(let source):
                if let source { peer = source }
                return
            case .needsBytes:
                // A peek tells no end of the stream as long as bytes lie before it.
                if drainIsOver || channel.peerClosed { throw .closed }
                channel.beginRead()
                if case .deadline = await channel.awaitReadable(until: deadline) {
                    throw .broken(.proxyHeaderTimeout)
                }
            case .invalid(let fault):
                throw .broken(.proxyHeader(fault))
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
            case .bytes:
                if transport.isTLS { server.handshakes.add(isResumed: transport.isResumed) }
                return
            case .wantsRead: wake = await channel.awaitReadable(until: deadline)
            case .wantsWrite: wake = await channel.awaitWritable(until: deadline)
            case .end: throw .closed
            case .failed(let fault): throw .broken(fault)
            }
            if drainIsOver { throw .closed }
            if case .deadline = wake { throw .broken(.tlsHandshakeTimeout) }
        }
    }

    // MARK: Reading

    /// The next request; nil when the client has none or the server drains.
    private func readRequest() async throws(ConnectionEnd) -> Request? {
        clock = RequestClock(now: loop.now, limits: limits)
        isIdle = true
        idleSince = loop.now
        while true {
            switch try readOn() {
            case .complete: return parser.takeRequest()
            case .ended: return nil
            case .expectsContinue: try await write(ResponseEncoder.continueBytes)
            case .turnIsOver: await loop.yield()
            case .wantsRead: try end(after: await channel.awaitReadable(until: clock.deadline))
            case .wantsWrite: try end(after: await channel.awaitWritable(until: clock.deadline))
            }
        }
    }

    /// How far reading went without waiting for anything.
    private enum Progress {
        case complete, ended, expectsContinue, turnIsOver, wantsRead, wantsWrite
    }

    /// Reads and parses what is there. Not `async`: whatever such a function keeps over a wait, an
    /// idle connection keeps in memory.
    private func readOn() throws(ConnectionEnd) -> Progress {
        if !pending.isEmpty {
            try feedPending()
            if parser.status != .needsBytes { return progress }
        }
        while true {
            if !parser.hasBegun && drainIsOver { return .ended }
            guard transport.mayRead else { return .wantsRead }
            switch transport.read(into: loop.scratch) {
            case .bytes(let count):
                let input = UnsafeRawBufferPointer(rebasing: loop.scratch[..<count])
                try feed(input.bindMemory(to: UInt8.self).span)
                if parser.status != .needsBytes { return progress }
                // Bytes that are always there must not carry a request past its deadline.
                if loop.now >= clock.deadline { throw endOfTime }
                if mustYield() { return .turnIsOver }
            case .wantsRead: return .wantsRead
            // TLS answers something of its own, a key update for one.
            case .wantsWrite: return .wantsWrite
            case .end where !parser.hasBegun: return .ended
            case .end: throw .refused(HTTPError(.requestIncomplete))
            case .failed(let fault): throw .broken(fault)
            }
        }
    }

    private var progress: Progress {
        parser.status == .complete ? .complete : .expectsContinue
    }

    /// Gives `bytes` to the parser, and what the parser does not want to `pending`.
    private func feed(_ bytes: Span<UInt8>) throws(ConnectionEnd) {
        let consumed = try parse(bytes)
        if consumed < bytes.count {
            pending = bytes.extracting(droppingFirst: consumed).withUnsafeBufferPointer(Array.init)
            pendingStart = 0
        }
        try hold(parser.heldBytes + pending.count)
    }

    private func feedPending() throws(ConnectionEnd) {
        let bytes = pending
        pendingStart += try parse(bytes.span.extracting(droppingFirst: pendingStart))
        if pendingStart == bytes.count { pending = [] }
        try hold(parser.heldBytes + pending.count)
    }

    private func parse(_ bytes: Span<UInt8>) throws(ConnectionEnd) -> Int {
        do throws(HTTPError) {
            let consumed = try parser.feed(bytes)
            if parser.hasBegun { isIdle = false }
            clock.advance(hasBegun: parser.hasBegun, isInBody: parser.isInBody, now: loop.now)
            return consumed
        } catch {
            throw .refused(error)
        }
    }

    private func hold(_ bytes: Int) throws(ConnectionEnd) {
        guard memory.hold(bytes) else { throw .refused(HTTPError(.bodiesTooLarge)) }
    }

    private func end(after wake: Channel.Wake) throws(ConnectionEnd) {
        if case .deadline = wake { throw endOfTime }
    }

    /// What the passing of the clock's deadline means.
    private var endOfTime: ConnectionEnd {
        clock.phase == .idle ? .closed : .refused(clock.timeout)
    }

    // MARK: Writing

    /// Answers `request`; false when that was this connection's last answer.
    private func write(_ response: Response, to request: Request) async throws(ConnectionEnd)
        -> Bool
    {
        // A large body is sent from where it lies.
        let isApart = response.status == 200 && response.body.count > AnswerMemory.freeBytes
        let omitsBody = isApart || request.method == .head
        let isLast = encode(response, to: request, omitBody: omitsBody)
        if isApart, request.method != .head {
            try await writer.write([output, response.body])
        } else {
            try await write(output)
        }
        if let stream = response.stream, request.method != .head {
            try await send(stream, inChunks: request.version == .http11)
        }
        return !isLast
    }

    /// Puts the answer into `output`; true when it is this connection's last one.
    private func encode(_ response: Response, to request: Request, omitBody: Bool) -> Bool {
        requestsServed += 1
        // Without chunks, only the end of the connection ends a streamed body.
        let endsBody = response.stream != nil && request.version == .http10
        let isLast =
            !request.keepAlive || endsBody || server.drain.isDraining
            || requestsServed >= limits.requestsPerConnectionMax
            || loop.now >= opened.advanced(seconds: limits.connectionSecondsMax)
        output.removeAll(keepingCapacity: true)
        ResponseEncoder.encode(
            response, omitBody: omitBody, close: isLast,
            date: worker.date(), version: request.version, into: &output)
        return isLast
    }

    private func send(
        _ stream: @Sendable (any BodyWriter) async throws -> Void, inChunks: Bool
    ) async throws(ConnectionEnd) {
        let writer = StreamWriter(inChunks: inChunks) { pieces throws(ConnectionEnd) in
            try await self.writer.write(pieces)
        }
        do { try await stream(writer) } catch { throw .closed }
        if inChunks { try await write(ResponseEncoder.lastChunk) }
    }

    private func write(_ bytes: [UInt8]) async throws(ConnectionEnd) {
        try await writer.write(bytes)
    }

    // MARK: Closing

    private func finish(_ end: ConnectionEnd) async {
        switch end {
        case .closed:
            transport.shutdownWrite()
        case .broken(let fault) where isIdle && fault.isPeersEnd:
            worker.handler.closedIdle(fault.reason, in: anonymousContext)
        case .broken(let fault):
            worker.handler.refused(fault.reason, status: nil, in: anonymousContext)
        case .refused(let error):
            worker.handler.refused(error.reason, status: error.status, in: anonymousContext)
            output.removeAll(keepingCapacity: true)
            var answer = worker.handler.answer(to: error, path: parser.path)
            if error.status == 503 { answer.fields.append(("Retry-After", "1")) }
            ResponseEncoder.encode(
                answer, omitBody: parser.method == .head, close: true, date: worker.date(),
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
        pending = []
        transport.shutdownWrite()
        let deadline = loop.now.advanced(seconds: limits.lingerSecondsMax)
        while loop.now < deadline, !drainIsOver {
            switch transport.read(into: loop.scratch) {
            case .bytes: if mustYield() { await loop.yield() }
            case .wantsRead:
                guard case .ready = await channel.awaitReadable(until: deadline) else { return }
            case .wantsWrite, .end, .failed: return
            }
        }
    }
}
