import Payments
import Platform
import PostgreSQL
import PostgreSQLStore
import Store
import Synchronization

/// The state in the database that keeps the record, for any number of instances. Of each
/// destination one holds the lease; every write is fenced by it (`Lease`).
package final class PostgreSQLDeliveryState: DeliveryState {
    private struct Served {
        let lease: Lease
        let changed: @Sendable () -> Void
    }

    private let leases: DatabaseLeases
    private let reader: DatabaseReader
    private let clock: any Clock
    private let served = Mutex<[String: Served]>([:])
    private let watch = Mutex<Task<Void, Never>?>(nil)
    /// How long an answer of the instance that serves is waited for: another one may first have to
    /// take the lease.
    private let answerSecondsMax: Int

    /// How often is looked for commands.
    private static let lookMilliseconds = 1000
    /// How often is looked for a command's answer.
    private static let answerMilliseconds = 100

    /// - Parameters:
    ///   - label: Names this process for people.
    ///   - leaseSeconds: How long another instance waits for one that does not answer.
    ///   - secondsMax: For one reading or writing, and as long again for its turn.
    ///   - clock: That of the source's connections.
    package init(
        _ source: LinkSource, label: String, leaseSeconds: Int, secondsMax: Int, clock: any Clock
    ) {
        self.clock = clock
        reader = DatabaseReader(source, secondsMax: secondsMax, clock: clock)
        leases = DatabaseLeases(source, reader, label: label, seconds: leaseSeconds)
        answerSecondsMax = leaseSeconds + 5
        let look = Task.detached { [weak self, clock] in
            while !Task.isCancelled {
                await self?.lookForCommands()
                try? await clock.sleep(milliseconds: Self.lookMilliseconds)
            }
        }
        watch.withLock { $0 = look }
    }

    deinit { watch.withLock(\.self)?.cancel() }

    // MARK: The lease

    package func open(
        _ destination: DeliveryDestination, store: String, changed: @escaping @Sendable () -> Void
    ) async throws(DeliveryStateFailure) -> OpenedDelivery? {
        let lease: Lease?
        do throws(ReadFailure) {
            lease = try await leases.take(Self.leaseName(destination.name), onLoss: changed)
        } catch {
            throw DeliveryStateFailure(error)
        }
        guard let lease else { return nil }
        let opened = try await run { session throws(PostgresError) in
            guard session.store == store else {
                throw .unexpected("the database holds another store")
            }
            return try session.open(destination, store, under: lease)
        }
        guard let opened else { return nil }
        served.withLock { $0[destination.name] = Served(lease: lease, changed: changed) }
        return opened
    }

    private static func leaseName(_ destination: String) -> String { "destination \(destination)" }

    private func lease(_ number: Int64, of destination: String) -> Lease? {
        let lease = served.withLock { $0[destination]?.lease }
        return lease?.fence == number ? lease : nil
    }

    package func holds(_ lease: Int64, of destination: String) -> Bool {
        self.lease(lease, of: destination).map { leases.holds($0) } ?? false
    }

    package func release(_ destination: String) async {
        guard let lease = served.withLock({ $0.removeValue(forKey: destination) })?.lease else {
            return
        }
        await leases.release(lease)
    }

    package func close() async {
        watch.withLock(\.self)?.cancel()
        leases.close()
        reader.close()
    }

    // MARK: The state

    package func write(_ write: DeliveryWrite) async throws(DeliveryStateFailure) {
        guard let lease = lease(write.lease, of: write.destination) else { throw .leaseLost }
        let commands = write.commands
        let isDone = try await run { session throws(PostgresError) in
            try session.commit(under: lease, commands) != nil
        }
        if !isDone { throw .leaseLost }
    }

    package func record(
        _ sequence: UInt64, for destination: String
    ) async throws(DeliveryStateFailure) -> [UInt8]? {
        try await run { session throws(PostgresError) in
            try session.record(sequence, for: destination)
        }
    }

    package func deliveries(
        _ query: DeliveryQuery
    ) async throws(DeliveryStateFailure) -> DeliveryList {
        try await run { session throws(PostgresError) in try session.deliveries(query) }
    }

    package func count(_ query: DeliveryQuery) async throws(DeliveryStateFailure) -> Int {
        try await run { session throws(PostgresError) in try session.count(query) }
    }

    package func attempts(
        reference: String, limit: Int
    ) async throws(DeliveryStateFailure) -> [LoggedAttempt] {
        try await run { session throws(PostgresError) in
            try session.attempts(reference: reference, limit: limit)
        }
    }

    package func destinations() async throws(DeliveryStateFailure) -> [StoredDestination] {
        try await run { session throws(PostgresError) in try session.destinations() }
    }

    // MARK: Commands

    /// Tells those that serve a destination that something is to be done.
    private func lookForCommands() async {
        guard !served.withLock(\.isEmpty) else { return }
        let waiting = try? await run { session throws(PostgresError) in
            try session.destinationsWithCommands()
        }
        for destination in waiting ?? [] { served.withLock { $0[destination] }?.changed() }
    }

    package func commands(
        for destination: String
    ) async throws(DeliveryStateFailure) -> [QueuedCommand] {
        try await run { session throws(PostgresError) in try session.commands(for: destination) }
    }

    package func ask(
        _ command: DeliveryCommand, of destination: String
    ) async throws(DeliveryStateFailure) -> Int? {
        let id = try await run { session throws(PostgresError) in
            try session.leave(command, for: destination)
        }
        let patience = clock.now.advanced(seconds: answerSecondsMax)
        while clock.now < patience {
            let changed = try await run { session throws(PostgresError) in
                try session.takeAnswer(of: id)
            }
            if let changed { return changed }
            try? await clock.sleep(milliseconds: Self.answerMilliseconds)
        }
        // Whoever asked is told that it was not done, so it must not be done later.
        return try await run { session throws(PostgresError) in
            try session.withdraw(id) ? nil : try session.takeAnswer(of: id)
        }
    }

    private func run<Answer: Sendable>(
        _ body: @escaping @Sendable (ReaderSession) throws(PostgresError) -> Answer
    ) async throws(DeliveryStateFailure) -> Answer {
        do throws(ReadFailure) { return try await reader.read(body) } catch {
            throw DeliveryStateFailure(error)
        }
    }
}

extension DeliveryStateFailure {
    fileprivate init(_ failure: ReadFailure) {
        self = .unavailable("\(failure.reason): \(failure.detail)")
    }
}
