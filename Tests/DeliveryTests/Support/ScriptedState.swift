import Synchronization

@testable import Delivery

/// A state whose lease and whose answers the test controls.
final class ScriptedState: DeliveryState {
    struct Script {
        var lease: Int64 = 0
        var isHeld = false
        /// Whether no other instance has the lease.
        var isFree = true
        var opened = RestoredDelivery(cursor: 0)
        var changed: @Sendable () -> Void = {}
        var writes: [DeliveryWrite] = []
        var recordsAsked = 0
        var commandsAsked = 0
    }

    let script = Mutex(Script())
    /// Called for each write with its number, from 1.
    let onWrite: @Sendable (Int) async throws(DeliveryStateFailure) -> Void
    /// Returns a record; called with the number of the request, from 1.
    let onRecord: @Sendable (Int) async -> [UInt8]?
    /// Returns the commands; called with the number of the request, from 1.
    let onCommands: @Sendable (Int) async -> [QueuedCommand]

    init(
        _ opened: RestoredDelivery = RestoredDelivery(cursor: 0),
        onWrite: @escaping @Sendable (Int) async throws(DeliveryStateFailure) -> Void = { _ in },
        onRecord: @escaping @Sendable (Int) async -> [UInt8]? = { _ in nil },
        onCommands: @escaping @Sendable (Int) async -> [QueuedCommand] = { _ in [] }
    ) {
        self.onWrite = onWrite
        self.onRecord = onRecord
        self.onCommands = onCommands
        script.withLock { $0.opened = opened }
    }

    func removeAnswers(
        about records: [ClosedRange<UInt64>]
    ) async throws(DeliveryStateFailure) -> Int { 0 }

    var lease: Int64 { script.withLock(\.lease) }
    var writes: [DeliveryWrite] { script.withLock(\.writes) }

    /// Lets the lease expire without a notification.
    func expire() { script.withLock { $0.isHeld = false } }

    /// Gives the lease to another instance, which keeps it until `free`.
    func lose() {
        let changed = script.withLock { script in
            script.isHeld = false
            script.isFree = false
            return script.changed
        }
        changed()
    }

    /// Makes the lease available again.
    func free() { script.withLock { $0.isFree = true } }

    func open(
        _ destination: DeliveryDestination, store: String, newest: UInt64,
        changed: @escaping @Sendable () -> Void
    ) async throws(DeliveryStateFailure) -> OpenedDelivery? {
        script.withLock { script in
            guard script.isFree else { return nil }
            script.lease += 1
            script.isHeld = true
            script.changed = changed
            return OpenedDelivery(state: script.opened, lease: script.lease)
        }
    }

    func holds(_ lease: Int64, of destination: String) -> Bool {
        script.withLock { $0.isHeld && $0.lease == lease }
    }

    func write(_ write: DeliveryWrite) async throws(DeliveryStateFailure) {
        let number = script.withLock { script in
            script.writes.append(write)
            return script.writes.count
        }
        try await onWrite(number)
    }

    func commands(
        for destination: String
    ) async throws(DeliveryStateFailure) -> [QueuedCommand] {
        let number = script.withLock { script in
            script.commandsAsked += 1
            return script.commandsAsked
        }
        return await onCommands(number)
    }

    func record(
        _ sequence: UInt64, for destination: String
    ) async throws(DeliveryStateFailure) -> [UInt8]? {
        let number = script.withLock { script in
            script.recordsAsked += 1
            return script.recordsAsked
        }
        return await onRecord(number)
    }

    func ask(
        _ command: DeliveryCommand, of destination: String
    ) async throws(DeliveryStateFailure) -> Int? { nil }

    func destinations() async throws(DeliveryStateFailure) -> [StoredDestination] { [] }

    func release(_ destination: String) async { expire() }

    func close() async {}

    func deliveries(
        _ query: DeliveryQuery
    ) async throws(DeliveryStateFailure) -> DeliveryList {
        DeliveryList(deliveries: [], cursor: nil)
    }

    func count(_ query: DeliveryQuery) async throws(DeliveryStateFailure) -> Int { 0 }

    func attempts(
        reference: String, limit: Int
    ) async throws(DeliveryStateFailure) -> [LoggedAttempt] { [] }
}

/// Makes tasks wait until it is opened.
final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let opener: AsyncStream<Void>.Continuation
    private let count = Mutex(0)

    init() { (stream, opener) = AsyncStream<Void>.makeStream() }

    /// Number of tasks that have called `pass`.
    var visitors: Int { count.withLock(\.self) }

    /// Waits for `open`, even in a cancelled task: some answers arrive after a cancellation.
    func pass() async {
        count.withLock { $0 += 1 }
        let waiting = Task.detached { [stream] in for await _ in stream {} }
        await waiting.value
    }

    func open() { opener.finish() }
}
