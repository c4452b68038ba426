import Inquiry
import Platform
import PostgreSQLStore
import ServerConfiguration
import Store
import Synchronization

/// Leases of endpoints: of several instances with one database, the holder does the task.
final class DatabaseTurns: InquiryTurns {
    private struct Connected {
        let reader: DatabaseReader
        let leases: DatabaseLeases
    }

    private let task: String
    private let database: DatabaseConfiguration
    private let environment: ServiceEnvironment
    /// Created for the first lease, because most servers need none.
    private let connected = Mutex<Connected?>(nil)
    private let held = Mutex<[String: Lease]>([:])

    /// - Parameter task: The first word of the leases' names.
    init(
        _ task: String, _ database: DatabaseConfiguration, _ environment: ServiceEnvironment
    ) {
        self.task = task
        self.database = database
        self.environment = environment
    }

    func take(
        _ endpoint: String, onLoss: @escaping @Sendable () -> Void
    ) async throws(InquiryTurnFailure) -> Bool {
        let lease: Lease?
        do throws(ReadFailure) {
            lease = try await leases.take("\(task) \(endpoint)", onLoss: onLoss)
        } catch {
            throw InquiryTurnFailure(error.detail)
        }
        held.withLock { $0[endpoint] = lease }
        return lease != nil
    }

    func holds(_ endpoint: String) -> Bool {
        held.withLock { $0[endpoint] }.map { leases.holds($0) } ?? false
    }

    func release(_ endpoint: String) async {
        guard let lease = held.withLock({ $0.removeValue(forKey: endpoint) }) else { return }
        await leases.release(lease)
    }

    /// The texts that the task keeps.
    var marks: DatabaseMarks { DatabaseMarks(connection.reader) }

    private var leases: DatabaseLeases { connection.leases }

    private var connection: Connected {
        connected.withLock { connected in
            if let connected { return connected }
            let source = environment.links(database)
            let reader = DatabaseReader(
                source, secondsMax: database.requestSecondsMax, clock: SystemClock())
            let leases = DatabaseLeases(
                source, reader, label: ProcessLabel.text, seconds: database.leaseSeconds)
            let made = Connected(reader: reader, leases: leases)
            connected = made
            return made
        }
    }

    deinit {
        let connected = connected.withLock { $0 }
        connected?.leases.close()
        connected?.reader.close()
    }
}
