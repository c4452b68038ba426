import Glibc
import HTTP
package import Platform
import Synchronization
package import SystemPackage

/// An HTTP/1.1 server on event loops: listens, serves each connection in a task on one loop, and
/// drains on request.
package final class HTTPServer: Sendable {
    /// Why a server did not start.
    package struct ListenError: Error {
        package let address: SocketAddress
        package let error: Errno
    }

    private let shared: ServerShared
    private let limits: Limits
    private let clock: any Clock
    private let workers: [ServerLoop]
    private let threads: [PlatformThread]

    /// The addresses that the server listens on, with the ports that the kernel chose.
    package let addresses: [SocketAddress]

    /// Sockets by listener, until ``accept()`` takes them.
    private let bound: Mutex<[[ListeningSocket]]>

    /// Binds every listener and starts the loops. Connections wait in the kernel's queue until
    /// ``accept()`` is called; with `acceptsAtOnce` they are accepted when this returns.
    ///
    /// - Parameters:
    ///   - inherited: Sockets that systemd has already bound, by address; used instead of binding
    ///     new ones.
    ///   - clock: The clock of the deadlines and of the `Date` of answers.
    ///   - onRoundEnd: Called on each loop after a round of requests was handed over and before the
    ///     loop looks for more.
    package init(
        _ settings: ServerSettings, handler: any RequestHandler,
        inherited: [SocketAddress: ListeningSocket] = [:], acceptsAtOnce: Bool = true,
        clock: any Clock = SystemClock(), onRoundEnd: (@Sendable () -> Void)? = nil
    ) throws(ListenError) {
        self.clock = clock
        shared = ServerShared(limits: settings.limits)
        limits = settings.limits
        let serving = Serving(
            limits: settings.limits, listeners: settings.listeners, handler: handler)
        let bound = try Self.bind(settings, inherited: inherited)
        addresses = bound.map { $0.sockets[0].address }
        self.bound = Mutex(bound.map(\.sockets))
        do throws(Errno) {
            var workers: [ServerLoop] = []
            for _ in 0..<settings.loops {
                let loop = try EventLoop(clock: clock)
                loop.onRoundEnd = onRoundEnd
                workers.append(
                    ServerLoop(loop: loop, serving: serving, loops: settings.loops))
            }
            self.workers = workers
        } catch {
            throw ListenError(address: addresses[0], error: error)
        }
        threads = workers.enumerated().map { $1.loop.start(name: "ipnd-loop-\($0)") }
        if acceptsAtOnce { accept() }
    }

    /// Starts to accept connections. A second call does nothing.
    package func accept() {
        let bound = bound.withLock { bound in
            defer { bound = [] }
            return bound
        }
        for (index, sockets) in bound.enumerated() { startAcceptors(index, sockets) }
    }

    private static func bind(
        _ settings: ServerSettings, inherited: [SocketAddress: ListeningSocket]
    ) throws(ListenError) -> [(listener: ListenerSettings, sockets: [ListeningSocket])] {
        var bound: [(listener: ListenerSettings, sockets: [ListeningSocket])] = []
        for listener in settings.listeners {
            do throws(Errno) {
                if let socket = inherited[listener.address] {
                    bound.append((listener, [socket]))
                } else {
                    bound.append(
                        (
                            listener,
                            try ListeningSocket.group(
                                listener.address, count: settings.loops,
                                permissions: listener.permissions)
                        ))
                }
            } catch {
                for socket in bound.flatMap(\.sockets) { Glibc.close(socket.descriptor) }
                throw ListenError(address: listener.address, error: error)
            }
        }
        return bound
    }

    private func startAcceptors(_ index: Int, _ sockets: [ListeningSocket]) {
        let shared = shared
        for (number, worker) in workers.enumerated() {
            var socket = sockets[min(number, sockets.count - 1)]
            if number >= sockets.count {
                // Loops that share one socket: each loop's channel owns its own descriptor.
                socket = socket.duplicated()
            }
            let own = socket
            Task(executorPreference: worker.loop) {
                guard let channel = try? worker.loop.registerListener(own.descriptor) else {
                    return
                }
                worker.add(listener: channel)
                await Acceptor(
                    socket: own, channel: channel, index: index, server: shared, worker: worker
                ).run()
            }
        }
    }

    /// Applies other settings from the next request on, without dropping a connection. Addresses
    /// and the number of loops stay as they are, whatever `settings` says; `listeners` must have
    /// the same number and order as before.
    package func replace(_ settings: ServerSettings, handler: any RequestHandler) async {
        precondition(settings.listeners.count == addresses.count, "a reload keeps the listeners")
        let serving = Serving(
            limits: settings.limits, listeners: settings.listeners, handler: handler)
        shared.set(settings.limits)
        await onEachLoop { $0.current = serving }
    }

    /// Returns after every loop has run a turn, which proves that none hangs.
    package func turn() async { await onEachLoop { _ in } }

    /// Number of open connections.
    package var connections: Int { shared.admission.connections }

    /// Number of TLS handshakes so far: full ones, and those that resumed a session.
    package var handshakes: (full: Int, resumed: Int) { shared.handshakes.all }

    /// Bytes of answers that slow readers have not read, and number of readers that were dropped
    /// for them.
    package var readers: (heldBytes: Int, dropped: Int) {
        (shared.answers.heldBytes, shared.answers.dropped)
    }

    /// Stops accepting, lets every request in flight finish (its answer says `Connection: close`),
    /// and ends the loops when the last connection has closed, `drainSecondsMax` have passed, or
    /// the calling task is cancelled, whichever comes first. Connections that are still open then
    /// are aborted.
    ///
    /// Idle connections get `drainIdleSecondsMax` to send a request that may already be on its way;
    /// closing at once would cost a proxy that request. A second call does nothing.
    package func drain() async {
        guard shared.drain.begin() else { return }
        let start = clock.now
        await onEachLoop { $0.closeListeners() }
        await waitUntilEmpty(until: start.advanced(seconds: limits.drainIdleSecondsMax))
        await onEachLoop { $0.interruptIdle() }
        await waitUntilEmpty(until: start.advanced(seconds: limits.drainSecondsMax))
        await onEachLoop { $0.abortAll() }
        // The woken tasks close their descriptors, also after a cancelled drain; a task that waits
        // for the store does not.
        await waitUntilEmpty(
            until: clock.now.advanced(nanoseconds: 100_000_000), endsIfCancelled: false)
        for worker in workers { worker.loop.stop() }
        for thread in threads { thread.join() }
    }

    private func onEachLoop(_ body: @escaping @Sendable (ServerLoop) -> Void) async {
        for worker in workers {
            await Task(executorPreference: worker.loop) { body(worker) }.value
        }
    }

    /// Waits until the last connection has closed.
    ///
    /// - Parameter endsIfCancelled: Whether it returns early if the caller is cancelled.
    private func waitUntilEmpty(
        until deadline: MonotonicTime, endsIfCancelled: Bool = true
    ) async {
        let loop = workers[0].loop
        let wait = Task(executorPreference: loop) { [shared] in
            while shared.admission.connections > 0, loop.now < deadline, !Task.isCancelled {
                await loop.sleep(until: loop.now.advanced(nanoseconds: 20_000_000))
            }
        }
        await withTaskCancellationHandler {
            await wait.value
        } onCancel: {
            if endsIfCancelled { wait.cancel() }
        }
    }
}
