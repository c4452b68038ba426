import Platform
import PostgreSQL
import PostgreSQLStore
import Sealing
import Store
import Synchronization

/// The state in the database that keeps the record, for any number of instances. One of them holds
/// the lease of each destination, and every write is fenced by it (``Lease``).
package final class PostgreSQLDeliveryState: SQLDeliveryState {
    private struct Served {
        let lease: Lease
        let changed: @Sendable () -> Void
    }

    private let database: PostgreSQLSession
    private let leases: DatabaseLeases
    private let clock: any Clock
    private let served = Mutex<[String: Served]>([:])
    private let watch = Mutex<Task<Void, Never>?>(nil)
    /// Longest wait for the answer to a command: another instance may first have to take the lease.
    private let answerSecondsMax: Int

    /// Interval between two looks for commands.
    private static let lookMilliseconds = 1000
    /// Interval between two looks for the answer to a command.
    private static let answerMilliseconds = 100

    package var session: any SQLSession { database }
    package let seal: SideSeal

    /// - Parameters:
    ///   - label: Name of this process for operators.
    ///   - leaseSeconds: Time after which another instance replaces one that does not answer.
    ///   - secondsMax: Longest duration of one read or write, and of the wait for its turn.
    ///   - clock: The clock of the source's connections.
    package init(
        _ source: LinkSource, label: String, leaseSeconds: Int, secondsMax: Int,
        seal: SideSeal = .deliveries([]), clock: any Clock
    ) {
        self.clock = clock
        self.seal = seal
        let reader = DatabaseReader(source, secondsMax: secondsMax, clock: clock)
        database = PostgreSQLSession(reader: reader)
        leases = DatabaseLeases(source, reader, label: label, seconds: leaseSeconds)
        answerSecondsMax = leaseSeconds + 5
        let look = Task.detached(executorPreference: WorkerPool.shared) { [weak self, clock] in
            while !Task.isCancelled {
                await self?.lookForCommands()
                try? await clock.sleep(milliseconds: Self.lookMilliseconds)
            }
        }
        watch.withLock { $0 = look }
    }

    deinit { watch.withLock(\.self)?.cancel() }

    package func close() async {
        watch.withLock(\.self)?.cancel()
        leases.close()
        database.reader.close()
    }

    // MARK: The lease

    package func open(
        _ destination: DeliveryDestination, store: String, newest: UInt64,
        changed: @escaping @Sendable () -> Void
    ) async throws(DeliveryStateFailure) -> OpenedDelivery? {
        let lease: Lease?
        do throws(ReadFailure) {
            lease = try await leases.take(Self.leaseName(destination.name), onLoss: changed)
        } catch {
            throw DeliveryStateFailure(error)
        }
        guard let lease else { return nil }
        let held = try await database.run { session throws(PostgresError) in session.store }
        guard held == store else { throw .unavailable("the database holds another store") }
        let opened: OpenedDelivery
        do throws(DeliveryStateFailure) {
            opened = try await restore(
                destination, store: store, newest: newest, under: lease,
                and: [SQLCall(.forgetAnswers, .text(destination.name))])
        } catch .leaseLost {
            return nil
        }

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

    package func write(_ write: DeliveryWrite) async throws(DeliveryStateFailure) {
        guard let lease = lease(write.lease, of: write.destination) else { throw .leaseLost }
        _ = try await session.write(write.sealed(by: seal).calls, under: lease)
    }

    // MARK: Commands of other instances

    /// Calls the holders of destinations that have commands.
    private func lookForCommands() async {
        guard !served.withLock(\.isEmpty) else { return }
        let waiting = try? await session.read(SQLCall(.waitingCommands))
        for row in waiting ?? [] { served.withLock { $0[row.text(0)] }?.changed() }
    }

    package func commands(
        for destination: String
    ) async throws(DeliveryStateFailure) -> [QueuedCommand] {
        try await session.read(SQLCall(.queuedCommands, .text(destination))).compactMap { row in
            let sequences = row.integers(2).map { UInt64(clamping: $0) }
            return DeliveryCommand(word: row.text(1), sequences: sequences)
                .map { QueuedCommand(id: row.integer(0), command: $0) }
        }
    }

    package func ask(
        _ command: DeliveryCommand, of destination: String
    ) async throws(DeliveryStateFailure) -> Int? {
        let insert = SQLCall(
            .insertCommand, .text(destination), .text(command.word),
            .integers(command.sequences.map { Int64(clamping: $0) }))
        let id = try await session.write([insert], under: nil)[0][0].integer(0)
        let patience = clock.now.advanced(seconds: answerSecondsMax)
        while clock.now < patience {
            if let changed = try await takeAnswer(of: id) { return changed }
            try? await clock.sleep(milliseconds: Self.answerMilliseconds)
        }
        // The caller reports that the command was not carried out, so it must not be later.
        let withdrawn = try await session.write(
            [SQLCall(.withdrawCommand, .integer(id))], under: nil)
        return withdrawn[0].isEmpty ? try await takeAnswer(of: id) : nil
    }

    /// Number of events that the command changed; nil before it is carried out. Deletes the
    /// command with its answer.
    private func takeAnswer(of command: Int64) async throws(DeliveryStateFailure) -> Int? {
        let rows = try await session.read(SQLCall(.answer, .integer(command)))
        guard let row = rows.first, let changed = row.optional(0, row.integer) else { return nil }
        _ = try await session.write([SQLCall(.removeCommand, .integer(command))], under: nil)
        return Int(changed)
    }

}

extension SQLStatement {
    fileprivate static let insertCommand = SQLStatement(
        "command_leave", returns: [.integer],
        """
        INSERT INTO delivery_command (destination, command, sequences) VALUES ($1, $2, $3)
        RETURNING id
        """)
    fileprivate static let queuedCommands = SQLStatement(
        "command_list", returns: [.integer, .text, .integers],
        """
        SELECT id, command, sequences FROM delivery_command
        WHERE destination = $1 AND changed IS NULL ORDER BY id LIMIT 100
        """)
    fileprivate static let waitingCommands = SQLStatement(
        "command_waiting", returns: [.text],
        "SELECT DISTINCT destination FROM delivery_command WHERE changed IS NULL")
    fileprivate static let answer = SQLStatement(
        "command_look", returns: [.optional(.integer)],
        "SELECT changed FROM delivery_command WHERE id = $1")
    fileprivate static let removeCommand = SQLStatement(
        "command_remove", "DELETE FROM delivery_command WHERE id = $1")
    fileprivate static let withdrawCommand = SQLStatement(
        "command_withdraw", returns: [.integer],
        "DELETE FROM delivery_command WHERE id = $1 AND changed IS NULL RETURNING id")
    /// Deletes answers that no instance waits for any more.
    fileprivate static let forgetAnswers = SQLStatement(
        "command_forget",
        """
        DELETE FROM delivery_command WHERE destination = $1 AND changed IS NOT NULL
            AND asked < clock_timestamp() - interval '1 hour'
        """)
}
