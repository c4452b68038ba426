import HTTP
import Platform

/// One client connection, from accept to close, as the straight line that it is:
/// `handshake → (read request → respond → write response)* → close`.
///
/// Lives in one task on one event loop.
final class Connection {
    let transport: Transport
    let channel: Channel
    let loop: EventLoop
    let worker: ServerLoop
    let limits: Limits
    let proxy: ProxySettings
    let server: ServerShared
    var peer: SocketAddress
    var parser: RequestParser
    var clock: RequestClock
    /// Bytes of following requests that came with the last one (pipelining), and where those begin
    /// that the parser has not taken. Nothing is read while there are any.
    var pending: [UInt8] = []
    var pendingStart = 0
    var memory: MemoryShare
    /// Reads and requests until the other connections of the loop get their turn.
    private var turnsLeft = Connection.turnsMax
    private static let turnsMax = 32
    var output: [UInt8] = []
    let writer: AnswerWriter
    let opened: MonotonicTime
    /// Made when the handler wants to be told of the client's end.
    var presence: ClientPresence?
    var requestsServed = 0
    /// The last request's: nearly always the next one's too.
    var lastContext: RequestContext?

    /// No request has begun: the connection can be closed without taking anything from anybody.
    var isIdle = true
    /// The rest of a request that has begun is waited for.
    var isReceiving = false
    /// A new connection takes its place.
    private(set) var isDisplaced = false
    /// When the wait for the present or the next request began.
    var idleSince: MonotonicTime
    /// No further request is waited for: the drain is over, or somebody else got the place.
    var drainIsOver = false

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
                guard try await write(response, to: request) else {
                    clientIsDone = !request.keepAlive
                    break
                }
                memory.release()
                if mustYield() { await loop.yield() }
            }
            let isOver =
                clientIsDone && pending.isEmpty && transport.isEmpty(trying: loop.scratch)
            if isOver || channel.peerClosed {
                // Nothing that would reset the connection is there, or should come. Closing alone
                // would do, but drops an answer that has not left when a byte comes all the same.
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

    /// Ends the connection whatever it is doing: the drain's time is over.
    func abort() { channel.shutdown() }

    /// Others need the memory that this client's answer takes.
    func dropReader(of wait: UInt64) {
        writer.drop(wait)
    }

    /// A client that always has more to send must not keep the loop from the other connections,
    /// nor from its own deadlines, which count by the loop's clock.
    func mustYield() -> Bool {
        turnsLeft -= 1
        guard turnsLeft == 0 else { return false }
        turnsLeft = Self.turnsMax
        return true
    }

    /// When it began to wait for its client: for a request, or for the rest of one. Nil while there
    /// are unread bytes in the socket, or while a request is answered.
    var displaceableSince: MonotonicTime? {
        guard !drainIsOver, !channel.mayRead else { return nil }
        if isIdle { return idleSince }
        return isReceiving ? clock.owedSince : nil
    }

    /// The drain's patience with idle connections is over: ends this one if it is idle.
    func interruptIfIdle() {
        drainIsOver = true
        if isIdle { channel.interrupt() }
    }

    /// Ends it in favor of a new connection.
    func displace() {
        drainIsOver = true
        isDisplaced = true
        channel.interrupt()
    }
}
