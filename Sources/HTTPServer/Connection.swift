import HTTP
import Platform
import TLS

/// One client connection, from accept to close:
/// `handshake → (read request → respond → write response)* → close`.
///
/// Runs in one task on one event loop.
final class Connection {
    let channel: Channel
    let limits: Limits
    /// No request has begun, so closing the connection loses nothing.
    private(set) var isIdle = true

    private let transport: Transport
    private let loop: EventLoop
    private let worker: ServerLoop
    private let proxy: ProxySettings
    private let server: ServerShared
    /// The peer of the socket, or the client that the PROXY protocol names.
    private var peer: SocketAddress
    private let opened: MonotonicTime

    private var parser: RequestParser
    private var clock: RequestClock
    /// Bytes of the next requests that arrived with the last one (pipelining). Nothing is read from
    /// the socket while there are any.
    private var pending: [UInt8] = []
    /// Offset in `pending` of the first byte that the parser has not taken.
    private var pendingStart = 0
    private var memory: MemoryShare

    private var output: [UInt8] = []
    private let writer: AnswerWriter
    private var requestsServed = 0
    /// Reads and requests left before the loop's other connections get their turn.
    private var turnsLeft = Connection.turnsMax
    private static let turnsMax = 32

    /// Created when a handler first watches this client.
    private var presence: ClientPresence?
    /// The context of the last request, which nearly always fits the next one too.
    private var lastContext: RequestContext?

    /// A request has begun and its remaining bytes are awaited.
    private var isReceiving = false
    /// A new connection takes this one's place.
    private var isDisplaced = false
    /// When the wait for the current or next request began.
    private var idleSince: MonotonicTime
    /// No further request is awaited: the drain has ended, or a new connection took the place.
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
            transport, worker: worker, memory: server.answers,
            stallSecondsMax: limits.writeStallSecondsMax)
        parser = RequestParser(limits: limits)
        opened = channel.loop.now
        clock = RequestClock(now: opened, limits: limits)
        idleSince = opened
        writer.owner = ObjectIdentifier(self)
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
                defer { context.timing?.written(status: response.status) }
                guard try await write(response, to: request) else {
                    clientIsDone = !request.keepAlive
                    break
                }
                memory.release()
                if mustYield() { await loop.yield() }
            }
            let isOver =
                unsafe clientIsDone && pending.isEmpty && transport.isEmpty(trying: loop.scratch)
            if isOver || channel.peerClosed {
                // No unread byte is left that would reset the connection. Shutting the write side
                // down first protects an unsent answer should one arrive after all.
                transport.shutdownWrite()
            } else {
                await linger()
            }
        } catch {
            await finish(error)
        }
        memory.release()
        channel.close()
    }

    /// Ends the connection whatever it is doing, at the end of the drain.
    func abort() { channel.shutdown() }

    /// Drops the client if it still has not read the answer of this wait: the memory is needed.
    func dropReader(of wait: UInt64) {
        writer.drop(wait)
    }

    /// Whether to yield to the loop's other connections. A client that always has more to send must
    /// not delay them, nor its own deadlines, which are measured by the loop's clock.
    private func mustYield() -> Bool {
        turnsLeft -= 1
        guard turnsLeft == 0 else { return false }
        turnsLeft = Self.turnsMax
        return true
    }

    /// When the connection began to wait for its client: for a request, or for the rest of one. Nil
    /// while the socket has unread bytes, or while a request is being answered.
    var displaceableSince: MonotonicTime? {
        guard !drainIsOver, !channel.mayRead else { return nil }
        if isIdle { return idleSince }
        return isReceiving ? clock.waitsSince : nil
    }

    /// Ends the connection if it is idle: the drain no longer waits for idle connections.
    func interruptIfIdle() {
        drainIsOver = true
        if isIdle { channel.interrupt() }
    }

    /// Ends the connection in favor of a new one.
    func displace() {
        drainIsOver = true
        isDisplaced = true
        channel.interrupt()
    }

    // MARK: Opening

    private func readProxyHeader() async throws(ConnectionEnd) {
        guard proxy.isProxy(peer) else { throw .broken(.proxyHeaderUntrusted) }
        var decoder = ProxyProtocolDecoder()
        let deadline = opened.advanced(seconds: limits.headSecondsMax)
        while true {
            // Reads exactly the header's bytes from the socket: what follows it may be TLS.
            switch decoder.read(from: channel.descriptor) {
            case .address(let source):
                if let source { peer = source }
                return
            case .needsBytes:
                // A peek does not see the end of the stream while unread bytes precede it.
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
        guard transport.isTLS else { return }
        let deadline = opened.advanced(seconds: limits.handshakeSecondsMax)
        try await waitForHello(until: deadline)
        defer { worker.handshakes.end(self) }
        while let retry = worker.handshakes.begin(self, now: loop.now) {
            // Does not check for the client's end: the handshake finds it.
            _ = await channel.awaitInterrupt(until: min(retry, deadline))
            try check(loop.now >= deadline ? .deadline : .interrupted)
        }
        transport.beginTLS()
        while true {
            let wake: Channel.Wake
            switch transport.handshake() {
            case .bytes:
                server.handshakes.add(isResumed: transport.isResumed)
                return
            case .wantsRead: wake = await channel.awaitReadable(until: deadline)
            case .wantsWrite: wake = await channel.awaitWritable(until: deadline)
            case .end: throw .closed
            case .failed(let fault): throw .broken(fault)
            }
            try check(wake)
            guard worker.handshakes.holds(self) else { throw .broken(.tlsHandshakeDisplaced) }
        }
    }

    private func waitForHello(until deadline: MonotonicTime) async throws(ConnectionEnd) {
        while true {
            switch transport.peekHello() {
            case .bytes: return
            case .end: throw .closed
            case .failed(let fault): throw .broken(fault)
            case .wantsRead, .wantsWrite:
                // A peek does not see the end of the stream while unread bytes precede it.
                if channel.peerClosed { throw .broken(.tls(.unexpectedEOF)) }
                try check(await channel.awaitReadable(until: deadline))
            }
        }
    }

    /// Throws if a wait within the handshake must end the connection.
    private func check(_ wake: Channel.Wake) throws(ConnectionEnd) {
        if drainIsOver { throw .closed }
        if case .deadline = wake { throw .broken(.tlsHandshakeTimeout) }
    }

    /// The context of `request`. Requests of one client share it, unless they are timed.
    private func context(for request: Request) -> RequestContext {
        let timing = worker.handler.timesRequests ? RequestTiming(began: clock.began) : nil
        // Without a forwarding header, all requests come from the peer itself.
        if proxy.header == nil, timing == nil, let lastContext { return lastContext }
        let client = ForwardedAddress.client(of: request, peer: peer, proxy: proxy)
        if timing == nil, let lastContext, lastContext.client == client { return lastContext }
        let context = RequestContext(
            peer: peer, client: client, isTLS: transport.isTLS,
            clientCertificate: transport.clientCertificate, presence: clientPresence(),
            isFromProxy: timing != nil && proxy.isProxy(peer), timing: timing)
        lastContext = context
        return context
    }

    /// The context of what is logged without a request.
    private var anonymousContext: RequestContext {
        RequestContext(of: peer, isTLS: transport.isTLS)
    }

    /// The connection's presence object, created on demand: a handler that does not watch clients
    /// costs neither the object nor a registration with the kernel.
    private func clientPresence() -> ClientPresence {
        guard worker.handler.watchesClients else { return .unwatched }
        if let presence { return presence }
        let made = ClientPresence()
        presence = made
        channel.onPeerClosed = { made.end() }
        if channel.peerClosed { made.end() } else { channel.watch() }
        return made
    }

    // MARK: Reading

    /// Reads the next request; nil when the client has closed or the server drains.
    private func readRequest() async throws(ConnectionEnd) -> Request? {
        clock = RequestClock(now: loop.now, limits: limits)
        isIdle = true
        idleSince = loop.now
        isReceiving = true
        defer { isReceiving = false }
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

    /// Result of reading until a wait is needed.
    private enum Progress {
        case complete, ended, expectsContinue, turnIsOver, wantsRead, wantsWrite
    }

    /// Reads and parses the available bytes. Not `async`, because an idle connection would keep the
    /// function's state in memory.
    private func readOn() throws(ConnectionEnd) -> Progress {
        if !pending.isEmpty {
            try feedPending()
            if parser.status != .needsBytes { return progress }
        }
        while true {
            if !parser.hasBegun && drainIsOver { return .ended }
            guard transport.mayRead else { return .wantsRead }
            switch unsafe transport.read(into: loop.scratch) {
            case .bytes(let count):
                let input = unsafe UnsafeRawBufferPointer(rebasing: loop.scratch[..<count])
                unsafe try feed(input.bindMemory(to: UInt8.self).span)
                if parser.status != .needsBytes { return progress }
                // Checked here too: a client that never pauses must not pass its deadline.
                if loop.now >= clock.deadline { throw endOfTime }
                if mustYield() { return .turnIsOver }
            case .wantsRead: return .wantsRead
            // TLS itself has something to send, e.g. the answer to a key update.
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

    /// Feeds `bytes` to the parser and stores what it does not consume in `pending`.
    private func feed(_ bytes: Span<UInt8>) throws(ConnectionEnd) {
        let consumed = try parse(bytes)
        if consumed < bytes.count {
            pending = unsafe bytes.extracting(droppingFirst: consumed).withUnsafeBufferPointer(
                Array.init)
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
        // Unread bytes in the socket do not matter: the place has been given away.
        if isDisplaced, !isIdle { throw .refused(HTTPError(.requestDisplaced)) }
    }

    /// Why the connection ends at the clock's deadline.
    private var endOfTime: ConnectionEnd {
        clock.phase == .idle ? .closed : .refused(clock.timeout)
    }

    // MARK: Answering

    /// Answers `request`. Returns false after this connection's last answer.
    private func write(
        _ response: Response, to request: Request
    ) async throws(ConnectionEnd) -> Bool {
        // A large body is sent without being copied.
        let isApart = response.status == 200 && response.body.count > AnswerMemory.freeBytes
        let omitsBody = isApart || request.method == .head
        let isLast = encode(response, to: request, omitBody: omitsBody)
        if isApart, request.method != .head {
            try await writer.write([output, response.body])
        } else {
            try await writer.write(output, isLast: isLast && response.stream == nil)
        }
        if let stream = response.stream, request.method != .head {
            try await send(stream, inChunks: request.version == .http11)
        }
        return !isLast
    }

    /// Encodes the answer into `output`. Returns true if it is this connection's last one.
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
                // The client does not take the answer: nothing is left to do.
            }
        }
    }

    /// Reads and discards for a while after the last answer: closing a socket with unread bytes
    /// resets the connection, and the reset overtakes the answer (RFC 9112 §9.6).
    private func linger() async {
        pending = []
        transport.shutdownWrite()
        let deadline = loop.now.advanced(seconds: limits.lingerSecondsMax)
        while loop.now < deadline, !drainIsOver {
            switch unsafe transport.read(into: loop.scratch) {
            case .bytes: if mustYield() { await loop.yield() }
            case .wantsRead:
                guard case .ready = await channel.awaitReadable(until: deadline) else { return }
            case .wantsWrite, .end, .failed: return
            }
        }
    }
}
