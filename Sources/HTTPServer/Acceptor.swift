import Glibc
import HTTP
import Platform
import SystemPackage

/// Accepts connections from one listening socket on one loop and starts a task for each.
final class Acceptor {
    /// Connections accepted in a row before the loop's other tasks get their turn.
    private static let burst = 64

    private let socket: ListeningSocket
    private let channel: Channel
    /// The listener's index in the server's settings, which a reload may replace.
    private let index: Int
    private let server: ServerShared
    private let worker: ServerLoop
    /// A descriptor in reserve. When the process has no descriptors left, it is closed so that a
    /// connection can be accepted and closed in its place; left in the queue, the connection would
    /// wake the loop forever.
    private var spare: Int32

    init(
        socket: ListeningSocket, channel: Channel, index: Int, server: ServerShared,
        worker: ServerLoop
    ) {
        self.socket = socket
        self.channel = channel
        self.index = index
        self.server = server
        self.worker = worker
        spare = Self.openSpare()
        socket.limitUnsent(bytes: worker.current.limits.answerQueueBytesMax)
    }

    deinit { if spare >= 0 { Glibc.close(spare) } }

    private var listener: ListenerSettings { worker.current.listeners[index] }

    /// Runs until the listening channel is closed.
    func run() async {
        while channel.isOpen {
            channel.beginRead()
            switch acceptBurst() {
            case .none:
                if case .interrupted = await channel.awaitReadable(until: .never) { return }
            case .more: await worker.loop.yield()
            case .starved: await pause()
            }
        }
    }

    /// State of the listener's queue after a burst.
    private enum Waiting { case none, more, starved }

    private func acceptBurst() -> Waiting {
        for _ in 0..<Self.burst {
            do throws(Errno) {
                guard let (descriptor, peer) = try socket.accept() else { return .none }
                open(descriptor, from: peer)
            } catch {
                guard isOutOfDescriptors(error), dropOne() else { return .starved }
            }
        }
        return .more
    }

    private func open(_ descriptor: Int32, from peer: SocketAddress) {
        let isProxy = listener.proxy.isProxy(peer)
        if let refusal = admit(peer, isProxy: isProxy) {
            refuse(descriptor, peer: peer, reason: refusal.rawValue)
            return
        }
        Self.start(
            descriptor, peer: peer, isProxy: isProxy, listener: listener, server: server,
            worker: worker
        )
    }

    /// Admits a connection. If all places are taken, the connection that has waited longest for its
    /// client is closed to make room, so that idle connections and unfinished requests cannot keep
    /// new clients out until they time out.
    private func admit(_ peer: SocketAddress, isProxy: Bool) -> Admission.Refusal? {
        let refusal = server.admission.admit(peer, isProxy: isProxy)
        guard refusal == .full, let displaced = worker.displaceOne() else { return refusal }
        if displaced == .idle {
            worker.handler.refused("idle_connection_displaced", status: nil, in: context(of: peer))
        }
        return server.admission.admit(peer, isProxy: isProxy, replacing: true)
    }

    private static func start(
        _ descriptor: Int32, peer: SocketAddress, isProxy: Bool, listener: ListenerSettings,
        server: ServerShared, worker: ServerLoop
    ) {
        Task(executorPreference: worker.loop) {
            await serve(descriptor, peer: peer, listener: listener, server: server, worker: worker)
            server.admission.leave(peer, isProxy: isProxy)
        }
    }

    private static func serve(
        _ descriptor: Int32, peer: SocketAddress, listener: ListenerSettings,
        server: ServerShared, worker: ServerLoop
    ) async {
        let connection = makeConnection(
            descriptor, peer: peer, listener: listener, server: server, worker: worker)
        worker.add(connection)
        await connection.serve()
        worker.remove(connection)
    }

    /// Never inlined, because its temporaries would stay in the caller's frame for as long as the
    /// connection lives.
    @inline(never)
    private static func makeConnection(
        _ descriptor: Int32, peer: SocketAddress, listener: ListenerSettings,
        server: ServerShared, worker: ServerLoop
    ) -> Connection {
        Connection(
            channel: worker.loop.open(descriptor), peer: peer, listener: listener,
            server: server, worker: worker)
    }

    /// Refuses a connection over a limit. Without TLS the answer always fits the socket's empty
    /// buffer; a TLS client would need a handshake first, so its connection is only reset.
    private func refuse(_ descriptor: Int32, peer: SocketAddress, reason: String) {
        if listener.tls == nil {
            var answer: [UInt8] = []
            ResponseEncoder.encode(
                .overloaded(reason: reason), omitBody: false, close: true, date: worker.date(),
                into: &answer)
            _ = unsafe Glibc.send(descriptor, answer, answer.count, Int32(MSG_NOSIGNAL))
        }
        Glibc.close(descriptor)
        worker.handler.refused(
            reason, status: listener.tls == nil ? 503 : nil, in: context(of: peer))
    }

    private func context(of peer: SocketAddress) -> RequestContext {
        var client: IPAddress?
        if case .ip(let address, _) = peer { client = address }
        return RequestContext(
            peer: peer, client: client, isTLS: listener.tls != nil, clientCertificate: nil)
    }

    private func isOutOfDescriptors(_ error: Errno) -> Bool {
        error == .tooManyOpenFiles || error == .tooManyOpenFilesInSystem
    }

    /// Accepts and closes one connection, using the spare descriptor. Returns false if another
    /// thread took that descriptor first.
    private func dropOne() -> Bool {
        if spare >= 0 { Glibc.close(spare) }
        defer { spare = Self.openSpare() }
        guard let accepted = try? socket.accept() else { return false }
        Glibc.close(accepted.descriptor)
        worker.handler.refused("descriptors_exhausted", status: nil, in: context(of: accepted.peer))
        return true
    }

    /// Waits before the next attempt when the kernel is short of something else (ENOBUFS, ENOMEM).
    private func pause() async {
        await worker.loop.sleep(until: worker.loop.now.advanced(nanoseconds: 100_000_000))
    }

    private static func openSpare() -> Int32 {
        unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
    }
}

extension Response {
    /// The answer to a connection beyond a limit.
    static func overloaded(reason: String) -> Response {
        Response(
            status: 503, fields: [("Content-Type", "text/plain"), ("Retry-After", "1")],
            body: Array("\(reason)\n".utf8))
    }
}

/// Detects the end of a flood of connections. glibc keeps the freed memory unless it is asked to
/// return it.
struct ConnectionPeak {
    /// Fewer connections take too little memory to act on: some 10 MiB.
    static let connectionsMin = 1000

    private var peak = 0

    mutating func rose(to count: Int) { peak = max(peak, count) }

    /// Returns true once after a flood, when three of four connections have closed.
    mutating func fell(to count: Int) -> Bool {
        guard peak >= Self.connectionsMin, count <= peak / 4 else { return false }
        peak = count
        return true
    }
}
