import ArgumentParser
import Console
import Delivery
import Glibc
import Logging
import Platform
import PostgreSQL
import PostgreSQLStore
import Receiver
import Sealing
import ServerConfiguration
import Store

/// Records in a database that several instances may share.
final class DatabaseModule: StorageModule {
    private let databaseStore: PostgreSQLStore
    private let clock: any Clock

    /// Checks the database's settings once, and throws an exit status after printing what to
    /// correct. An unreachable database does not prevent the start.
    init(
        _ configuration: Configuration, _ database: DatabaseConfiguration, _ logger: Logger,
        in environment: ServiceEnvironment, clock: any Clock
    ) throws {
        self.clock = clock
        let isReachable = try Self.check(
            database, configuration.personal.masterKeys, logger)
        databaseStore = PostgreSQLStore(
            environment.links(database), options: DatabaseOptions(configuration, database),
            environment: DatabaseEnvironment(clock: SystemClock())
        ) { change in
            switch change {
            case .away(let reason, let text): logger.error("database: \(reason): \(text)")
            case .back(let host): logger.info("database: connected to \(host)")
            }
        }
        if isReachable { awaitConnections(seconds: database.session.connectSecondsMax) }
    }

    /// Waits for the connections, so that the service is ready when it prints `ready`.
    private func awaitConnections(seconds: Int) {
        let patience = clock.now.advanced(seconds: seconds)
        while hindrance != nil || records.identity == nil, clock.now < patience {
            clock.block(until: clock.now.advanced(nanoseconds: Self.pollNanoseconds))
        }
    }

    private static let pollNanoseconds: UInt64 = 5_000_000

    /// Whether the database is reachable. Throws an exit status if it cannot be used.
    private static func check(
        _ database: DatabaseConfiguration, _ masters: [MasterKey], _ logger: Logger
    ) throws -> Bool {
        let check: DatabaseCheck
        var keyFailure: DatabaseFailure?
        do throws(PostgresError) {
            let connection = try PostgresConnection.connect(
                database.connection, database.session, clock: SystemClock())
            defer { connection.close() }
            check = try DatabaseCheck(
                connection, database.session, seconds: database.session.statementSecondsMax)
            if check.findings.allSatisfy({ !$0.preventsService }) {
                keyFailure = Self.checkKeys(connection, masters, database)
            }
        } catch {
            let failure = DatabaseFailure(error, schema: database.session.schema)
            guard failure.isMistake else {
                logger.warning("database: \(failure); notifications are answered 503")
                return false
            }
            StandardError.print("ipnd: database: \(failure)")
            throw ExitCode(EX_CONFIG)
        }
        for finding in check.findings where !finding.preventsService {
            logger.warning("database: \(finding.problem); \(finding.remedy)")
        }
        if let keyFailure {
            StandardError.print("ipnd: database: \(keyFailure)")
            throw ExitCode(EX_CONFIG)
        }
        guard let finding = check.findings.first(where: \.preventsService) else { return true }
        StandardError.print("ipnd: database: \(finding.problem); \(finding.remedy)")
        throw ExitCode(EX_CONFIG)
    }

    /// The mistake that keeps the records' keys from being used.
    private static func checkKeys(
        _ connection: PostgresConnection, _ masters: [MasterKey], _ database: DatabaseConfiguration
    ) -> DatabaseFailure? {
        do throws(DatabaseFailure) {
            _ = try DatabaseKeys.open(connection, masters, schema: database.session.schema)
            return nil
        } catch {
            return error.isMistake ? error : nil
        }
    }

    var store: any Store { databaseStore }
    var records: any RecordSource { databaseStore.records }
    var keys: RecordKeys? { databaseStore.keys }
    var lists: any OrderLists { databaseStore.lists }
    var openOrders: any OpenOrders { databaseStore.openOrders }
    var hindrance: String? { databaseStore.health.reason }

    /// Nil: the cursors are in the tables.
    var progress: DeliveryProgress? { nil }

    /// Does nothing: the tables always exist.
    func openLists(_ configuration: Configuration, _ logger: Logger) {}

    func flush() {}

    func write(to page: inout MetricsPage) async {
        page.write(databaseStore.figures)
        if let identity = databaseStore.records.identity { page.write(store: identity) }
        page.write(recorded: databaseStore.commitFeed.durableSequence)
    }

    /// Does nothing: the database has its identity, and the committer refuses another one.
    func noteUse(_ logger: Logger) {}
}

extension DatabaseOptions {
    package init(_ configuration: Configuration, _ database: DatabaseConfiguration) {
        self.init()
        queueSubmissionsMax = configuration.queue.queueSubmissionsMax
        queueBytesMax = configuration.queue.queueBytesMax
        orderFactsMax = configuration.queue.orderFactsMax
        masterKeys = configuration.personal.masterKeys
        batchSecondsMax = database.batchSecondsMax
        requestSecondsMax = database.requestSecondsMax
        readSecondsMax = database.requestSecondsMax
        batchSubmissionsMax = database.batchSubmissionsMax
        readConnectionsMax = database.readConnectionsMax
        confirmMillisecondsMin = database.confirmMillisecondsMin
        retains = true
        retainDays = database.retainDays
        retainUndeliveredDays = database.retainUndeliveredDays
        destinations = configuration.destinations.map(\.name)
        dedupRetainDays = database.dedupRetainDays
    }
}

/// The name of this process in messages of other instances.
enum ProcessLabel {
    /// `host:process`.
    static var text: String {
        var name = [CChar](repeating: 0, count: 256)
        let isKnown = gethostname(&name, name.count - 1) == 0
        let host =
            isKnown ? String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self) : ""
        return "\(host):\(getpid())"
    }
}
