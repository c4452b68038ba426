import CLinux
import Glibc
import Platform
import Synchronization

/// Sends requests with libcurl's multi interface on its own thread. Connections, resolved names and
/// TLS sessions are kept for later requests.
package final class WebClient: Sendable {
    private let inbox: WebInbox
    private let thread: PlatformThread
    private let numbers = Atomic<UInt64>(0)

    /// - Parameter idleConnectionsMax: Maximum number of connections kept while idle.
    package init(idleConnectionsMax: Int = 256) {
        let inbox = WebInbox()
        self.inbox = inbox
        // Payers wait for the intake, so this thread gives way to it.
        let niceness = BackgroundExecutor.niceness
        thread = PlatformThread(name: "ipnd-web", niceness: niceness) {
            WebThread(inbox, idleConnectionsMax: idleConnectionsMax).run()
        }
    }

    deinit { inbox.close() }

    /// Sends a request and waits for the complete answer, whatever its status. Redirects are
    /// answers.
    ///
    /// - Throws: The reason why there is no complete answer; `canceled` soon after the task was
    ///   cancelled.
    package func send(_ request: WebRequest) async throws(WebFailure) -> WebResponse {
        let number = numbers.add(1, ordering: .relaxed).newValue
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                inbox.add(number, request) { continuation.resume(returning: $0) }
                // In this case the handler ran before there was anything to cancel.
                if Task.isCancelled { inbox.cancel(number) }
            }
        } onCancel: {
            inbox.cancel(number)
        }
        return try result.get()
    }

    /// Ends the requests in progress (`canceled`) and closes the connections. Waits for the thread.
    package func close() {
        if inbox.close() { thread.join() }
    }
}

/// The client thread's inbox, usable from any thread.
final class WebInbox: Sendable {
    typealias Finish = @Sendable (Result<WebResponse, WebFailure>) -> Void

    enum Order: Sendable {
        case start(UInt64, WebRequest, Finish)
        case cancel(UInt64)
    }

    private struct State: ~Copyable {
        var orders: [Order] = []
        var isClosed = false
        var hasEnded = false
        /// Whether the thread waits, or is about to.
        var isAsleep = false

        /// Returns whether the thread must be woken for the new order.
        mutating func awaken() -> Bool {
            defer { isAsleep = false }
            return isAsleep
        }
    }

    private let state = Mutex(State())
    /// An eventfd that ends the thread's wait; negative if the kernel could not create one.
    let wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

    deinit { if wakeup >= 0 { Glibc.close(wakeup) } }

    private func wake() {
        var one: UInt64 = 1
        _ = write(wakeup, &one, 8)
    }

    func add(_ number: UInt64, _ request: WebRequest, _ finish: @escaping Finish) {
        if !add(.start(number, request, finish)) {
            finish(.failure(WebFailure(.canceled, "the client is closed")))
        }
    }

    func cancel(_ number: UInt64) { _ = add(.cancel(number)) }

    private func add(_ order: Order) -> Bool {
        let (isTaken, mustWake) = state.withLock { state in
            if state.hasEnded { return (false, false) }
            state.orders.append(order)
            return (true, state.awaken())
        }
        if mustWake { wake() }
        return isTaken
    }

    /// Returns false if it was already closed.
    @discardableResult
    func close() -> Bool {
        let (isFirst, mustWake) = state.withLock { state in
            let isFirst = !state.isClosed
            state.isClosed = true
            return (isFirst, state.awaken())
        }
        if mustWake { wake() }
        return isFirst
    }

    // MARK: Called by the thread

    /// Takes all orders; nil after the client was closed. If there are none, the next order wakes
    /// the thread.
    func take() -> [Order]? {
        state.withLock { state in
            if state.isClosed { return nil }
            let orders = state.orders
            state.orders.removeAll(keepingCapacity: true)
            state.isAsleep = orders.isEmpty
            return orders
        }
    }

    /// Accepts no more orders, and returns those that will not be carried out.
    func end() -> [Order] {
        state.withLock { state in
            state.hasEnded = true
            let orders = state.orders
            state.orders = []
            return orders
        }
    }
}
