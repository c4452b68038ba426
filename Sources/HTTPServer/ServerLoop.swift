import Glibc
import HTTP
import Platform

/// The state of one event loop of a server: its connections, its listeners and the `Date` line.
///
/// `@unchecked Sendable`: the reference is passed to the loop's own tasks only; every property is
/// touched on the loop's thread alone (asserted in each method).
final class ServerLoop: @unchecked Sendable {
    let loop: EventLoop
    private var connections: [ObjectIdentifier: Connection] = [:]
    /// Whether connections are aborted as soon as their tasks begin.
    private var isAborted = false
    private var peak = ConnectionPeak()
    private var displacement = Displacement()
    let handshakes: HandshakePlaces
    private var listeners: [Channel] = []
    private var serving: Serving
    private var dateSecond = -1
    private var dateText: [UInt8] = []

    /// - Parameter loops: Number of loops that share the server's places for handshakes.
    init(loop: EventLoop, serving: Serving, loops: Int) {
        self.loop = loop
        handshakes = HandshakePlaces(loops: loops)
        self.serving = serving
    }

    /// The settings and handler in use. A connection keeps the limits it began with and reads the
    /// handler for each request.
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
        // This takes milliseconds, so it does not run on the loop.
        PlatformThread.detached(name: "memory", niceness: 10) { Memory.giveBack() }
    }

    /// Ends the connection that has waited longest for its client, idle ones first. Returns nil if
    /// none has waited long enough.
    func displaceOne() -> Displaced? {
        assert(loop.isOnLoop)
        guard let victim = displacement.next(of: connections, now: loop.now) else { return nil }
        defer { victim.displace() }
        return victim.isIdle ? .idle : .receiving
    }

    /// State of a connection that was displaced.
    enum Displaced { case idle, receiving }

    /// Drops the client of `connection` if its answer is still unread.
    func dropReader(_ connection: ObjectIdentifier, of wait: UInt64) {
        assert(loop.isOnLoop)
        connections[connection]?.dropReader(of: wait)
    }

    func add(listener: Channel) {
        assert(loop.isOnLoop)
        listeners.append(listener)
    }

    /// Stops accepting; connections in the kernel's queue are reset.
    func closeListeners() {
        assert(loop.isOnLoop)
        for listener in listeners { listener.close() }
        listeners = []
    }

    /// Wakes the connections that wait for a request, so that they notice the drain.
    func interruptIdle() {
        assert(loop.isOnLoop)
        for connection in connections.values { connection.interruptIfIdle() }
    }

    /// Aborts the connections that are still open at the end of the drain.
    func abortAll() {
        assert(loop.isOnLoop)
        isAborted = true
        for connection in connections.values { connection.abort() }
    }

    /// The `Date` of answers (RFC 9110 §6.6.1), formatted once per second.
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
