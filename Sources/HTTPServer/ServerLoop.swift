import Glibc
import HTTP
import Platform

/// What one event loop of a server owns: its connections, its listeners, the `Date` line.
///
/// `@unchecked Sendable`: the reference travels to the loop's own tasks only; every property is
/// touched on the loop's thread alone (asserted in each method).
final class ServerLoop: @unchecked Sendable {
    let loop: EventLoop
    private var connections: [ObjectIdentifier: Connection] = [:]
    /// Connections whose tasks have not begun yet are broken off, too.
    private var isAborted = false
    private var peak = ConnectionPeak()
    private var displacement = Displacement()
    let handshakes: HandshakePlaces
    private var listeners: [Channel] = []
    private var serving: Serving
    private var dateSecond = -1
    private var dateText: [UInt8] = []

    /// - Parameter loops: How many share the server's places for handshakes.
    init(loop: EventLoop, serving: Serving, loops: Int) {
        self.loop = loop
        handshakes = HandshakePlaces(loops: loops)
        self.serving = serving
    }

    /// What is served now. A connection keeps the limits it began with and asks for the handler at
    /// each request.
    var current: Serving {
        get {
            assert(loop.isOnLoop)
            return serving
        }
        set {
            assert(loop.isOnLoop)
            serving = newValue
        }
    }

    var handler: any RequestHandler {
        assert(loop.isOnLoop)
        return serving.handler
    }

    func add(_ connection: Connection) {
        assert(loop.isOnLoop)
        connections[ObjectIdentifier(connection)] = connection
        peak.rose(to: connections.count)
        if isAborted { connection.abort() }
    }

    func remove(_ connection: Connection) {
        assert(loop.isOnLoop)
        connections[ObjectIdentifier(connection)] = nil
        guard peak.fell(to: connections.count) else { return }
        // It takes milliseconds, which are not the loop's.
        PlatformThread.detached(name: "memory", niceness: 10) { Memory.giveBack() }
    }

    /// Ends the connection that has waited longest for its client, an idle one before all others.
    /// Nil when there is none that has waited long enough.
    func displaceOne() -> Displaced? {
        assert(loop.isOnLoop)
        guard let victim = displacement.next(of: connections, now: loop.now) else { return nil }
        defer { victim.displace() }
        return victim.isIdle ? .idle : .receiving
    }

    /// Who gave up its place.
    enum Displaced { case idle, receiving }

    /// The client that let an answer wait, if it still does.
    func dropReader(_ connection: ObjectIdentifier, of wait: UInt64) {
        assert(loop.isOnLoop)
        connections[connection]?.dropReader(of: wait)
    }

    func add(listener: Channel) {
        assert(loop.isOnLoop)
        listeners.append(listener)
    }

    /// No connection is accepted any more; what waits in the kernel's queue is reset.
    func closeListeners() {
        assert(loop.isOnLoop)
        for listener in listeners { listener.close() }
        listeners = []
    }

    /// Wakes the connections that wait for a request, so that they see the drain.
    func interruptIdle() {
        assert(loop.isOnLoop)
        for connection in connections.values { connection.interruptIfIdle() }
    }

    /// Breaks what is still open, because the drain's time is over.
    func abortAll() {
        assert(loop.isOnLoop)
        isAborted = true
        for connection in connections.values { connection.abort() }
    }

    /// The `Date` of answers (RFC 9110 §6.6.1), made once a second.
    func date() -> [UInt8] {
        assert(loop.isOnLoop)
        let second = loop.clock.coarseWallSeconds
        if dateSecond != second {
            dateSecond = second
            dateText = HTTPDate.bytes(secondsSince1970: second)
        }
        return dateText
    }
}
