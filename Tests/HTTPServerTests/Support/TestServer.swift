import HTTP
import Platform
import Synchronization
import TLS
import TestSupport
import Testing

@testable import HTTPServer

/// A server in this process, on a port that the kernel chose. Its time passes when the test moves
/// `clock`.
final class TestServer: Sendable {
    let server: HTTPServer
    let handler: TestHandler
    let clock = ManualClock()
    /// The loop that runs drains, because clients block the few threads of the runtime's pool.
    private let aside: EventLoop
    private let thread: PlatformThread

    var address: SocketAddress { server.addresses[0] }
    var refusals: [String] { handler.refusals.withLock { $0 } }

    init(
        _ address: SocketAddress = SocketAddress("127.0.0.1:0")!, tls: TLSContext? = nil,
        proxy: ProxySettings = ProxySettings(), loops: Int = 1, limits: Limits,
        acceptsAtOnce: Bool = true
    ) throws {
        handler = TestHandler()
        aside = try EventLoop()
        thread = aside.start(name: "test-aside")
        server = try HTTPServer(
            ServerSettings(
                listeners: [ListenerSettings(address: address, tls: tls, proxy: proxy)],
                limits: limits, loops: loops),
            handler: handler, acceptsAtOnce: acceptsAtOnce, clock: clock)
    }

    func client() throws -> TestClient { try TestClient(address) }

    /// Stops the server at once.
    func stop() async {
        handler.gate.open()
        let drain = drain()
        drain.cancel()
        await finish(drain)
        aside.stop()
        thread.join()
    }

    /// Begins a drain.
    func drain() -> Drain {
        let isOver = Box(false)
        let task = Task(executorPreference: aside) { [server] in
            await server.drain()
            isOver.set(true)
        }
        return Drain(task: task, isOver: isOver)
    }

    struct Drain: Sendable {
        fileprivate let task: Task<Void, Never>
        fileprivate let isOver: Box<Bool>
        func cancel() { task.cancel() }
    }

    /// Moves the clock until the drain has finished.
    func finish(_ drain: Drain) async {
        #expect(await clock.reaches { drain.isOver.get() })
    }

    /// Returns after the loops have processed everything pending, including passed deadlines.
    func settle() async { for _ in 0..<20 { await server.turn() } }

    /// Returns when the server's earliest deadline is this far away.
    func waits(seconds: Int) async -> Bool {
        let deadline = clock.now.advanced(seconds: seconds)
        return await eventuallyYielding { clock.nextDeadline == deadline }
    }
}

/// Runs `body` against a server and stops it afterwards. `adjust` sets the limits under test.
func withServer(
    proxy: ProxySettings = ProxySettings(), tls: TLSContext? = nil, loops: Int = 1,
    _ adjust: (inout Limits) -> Void = { _ in }, _ body: (TestServer) async throws -> Void
) async throws {
    var limits = Limits()
    adjust(&limits)
    let server = try TestServer(tls: tls, proxy: proxy, loops: loops, limits: limits)
    do {
        try await body(server)
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}

/// Echoes bodies. `/client` returns the client's address, `/wait` waits for the gate, `/hold` waits
/// until the client closes, `/large` returns as many bytes as its query says, `/call` calls the set
/// closure, `/count` returns the number of earlier requests.
final class TestHandler: RequestHandler {
    let refusals = Mutex<[String]>([])
    let requests = Atomic(0)
    let leavers = Atomic(0)
    let gate = Gate()
    let onCall = Mutex<(@Sendable () -> Void)?>(nil)

    func respond(to request: Request, in context: RequestContext) async -> Response {
        let before = requests.add(1, ordering: .relaxed).oldValue
        switch String(decoding: request.path, as: UTF8.self) {
        case "/client": return Response(status: 200, body: Array(context.clientText.utf8))
        case "/wait":
            await gate.pass()
            return Response(status: 200, body: Array("waited".utf8))
        case "/hold":
            let gone = Gate()
            _ = context.presence.whenEnded { gone.open() }
            await gone.pass()
            leavers.add(1, ordering: .relaxed)
            return Response(status: 200, body: [])
        case "/call":
            onCall.withLock(\.self)?()
            return Response(status: 200, body: [])
        case "/count": return Response(status: 200, body: Array(String(before).utf8))
        case "/large":
            let count = Int(String(decoding: request.query ?? [], as: UTF8.self)) ?? 0
            return Response(status: 200, body: [UInt8](repeating: 0x78, count: count))
        default: return Response(status: 200, body: request.body)
        }
    }

    func refused(_ reason: String, status: Int?, in context: RequestContext) {
        refusals.withLock { $0.append(reason) }
    }
}

/// Holds requests until it is opened.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func pass() async {
        await withCheckedContinuation { continuation in
            let passes = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if passes { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isOpen = true
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
