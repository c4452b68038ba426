import Configuration
import Inquiry
import Logging
import Platform
import PostgreSQLStore
import Providers
import Store
import Synchronization
import WebClient

/// What asks providers, put together.
final class InquirySide: Sendable {
    let service: InquiryService
    private let scheduler: InquiryScheduler
    private let transport: OnDemandTransport
    private let storage: any StorageSide
    private let logger: Logger

    /// Asks from now on, where an endpoint has a schedule; anything else is asked on demand.
    init(
        _ configuration: Configuration, storage: any StorageSide, logger: Logger, clock: any Clock
    ) {
        self.storage = storage
        self.logger = logger
        transport = OnDemandTransport(clock: clock)
        if configuration.asksByItself { storage.openLists(configuration, logger) }
        service = InquiryService(
            configuration.inquiryTargets, store: storage.store,
            transport: transport, clock: clock
        ) { name, report in
            let needsPerson = [.denied, .untrusted, .unreadable].contains(report.verdict)
            logger.log(
                level: needsPerson || report.conflicts > 0 ? .warning : .info,
                """
                inquiry \(name.endpoint)/\(name.reference): \(report.verdict.rawValue) \
                (\(report.reason)), \(counted(report.facts, "fact")), \(report.recorded.count) new
                """)
        }
        let turns: any InquiryTurns
        switch configuration.storage {
        case .journal: turns = OnlyInstance()
        case .database(let database): turns = DatabaseTurns(database)
        }
        scheduler = InquiryScheduler(
            service, orders: storage.openOrders, commitFeed: storage.store.commitFeed,
            turns: turns, clock: clock
        ) { endpoint, notice in
            // With a journal there is nobody else.
            if case .turnTaken = notice, turns is OnlyInstance { return }
            logger.log(
                level: notice.isWarning ? .warning : .info,
                "inquiry \(endpoint): \(notice.sentence)")
        }
    }

    /// The configuration was read again: other credentials, addresses, times.
    func reload(_ fresh: Configuration) {
        if fresh.asksByItself { storage.openLists(fresh, logger) }
        service.replace(fresh.inquiryTargets)
        scheduler.reload()
    }

    /// How asking stands, and what came of it.
    func figures() async -> (statuses: [InquiryStatus], counters: [String: InquiryCounters]) {
        (await scheduler.statuses(), service.counters)
    }

    /// Waits a while for the answers that are due.
    func stop() async {
        await scheduler.stop()
        transport.close()
    }
}

/// A client that is made when the first question is asked: most servers never ask.
private final class OnDemandTransport: InquiryTransport {
    private let client = Mutex<WebClient?>(nil)
    private let clock: any Clock

    init(clock: any Clock) { self.clock = clock }

    func send(
        _ request: InquiryRequest, to target: InquiryTarget
    ) async throws(InquiryFailure) -> InquiryAnswer {
        let client = client.withLock { client in
            let made = client ?? WebClient()
            client = made
            return made
        }
        return try await WebInquiryTransport(client, clock: clock).send(request, to: target)
    }

    func close() { client.withLock { $0 }?.close() }
}

/// Of several instances with one database, the one that holds an endpoint's lease asks.
private final class DatabaseTurns: InquiryTurns {
    private struct Connected {
        let reader: DatabaseReader
        let leases: DatabaseLeases
    }

    private let database: DatabaseConfiguration
    /// Made when the first turn is asked for: most servers never ask.
    private let connected = Mutex<Connected?>(nil)
    private let held = Mutex<[String: Lease]>([:])

    init(_ database: DatabaseConfiguration) { self.database = database }

    func take(
        _ endpoint: String, onLoss: @escaping @Sendable () -> Void
    ) async throws(InquiryTurnFailure) -> Bool {
        let lease: Lease?
        do throws(ReadFailure) {
            lease = try await leases.take("inquiry \(endpoint)", onLoss: onLoss)
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

    private var leases: DatabaseLeases {
        connected.withLock { connected in
            if let connected { return connected.leases }
            let source = DatabaseSide.links(database)
            let reader = DatabaseReader(
                source, secondsMax: database.requestSecondsMax, clock: SystemClock())
            let leases = DatabaseLeases(
                source, reader, label: ProcessLabel.text, seconds: database.leaseSeconds)
            connected = Connected(reader: reader, leases: leases)
            return leases
        }
    }

    deinit {
        let connected = connected.withLock { $0 }
        connected?.leases.close()
        connected?.reader.close()
    }
}

extension Configuration {
    /// Whether an endpoint's provider is asked without being told to.
    var asksByItself: Bool { endpoints.contains { $0.inquiry?.schedule.isAutomatic == true } }

    fileprivate var inquiryTargets: [InquiryTarget] {
        endpoints.compactMap { endpoint in
            guard let inquiry = endpoint.inquiry,
                let descriptor = ProviderRegistry.all[endpoint.system]?.inquiry
            else { return nil }
            return InquiryTarget(
                endpoint: endpoint.name, provider: endpoint.system, inquirer: inquiry.inquirer,
                url: inquiry.url, way: inquiry.way, timeoutSeconds: inquiry.timeoutSeconds,
                prefersTransaction: descriptor.prefersTransaction,
                pauseSeconds: inquiry.schedule.secondsPerOrder ?? descriptor.pauseSeconds,
                schedule: inquiry.schedule)
        }
    }
}
