import Console
import Inquiry
import Logging
import Platform
import Providers
import Receiver
import Redaction
import ServerConfiguration
import Store
import Synchronization
import Telemetry
import WebClient

/// Wires the inquiries to providers.
final class InquiryModule: Sendable {
    let service: InquiryService
    private let scheduler: InquiryScheduler
    private let backfill: BackfillModule
    private let transport: OnDemandTransport
    private let storage: any StorageModule
    private let logger: Logger

    /// Starts the scheduled inquiries. Other inquiries are sent on demand.
    init(
        _ configuration: Configuration, storage: any StorageModule, logger: Logger,
        in environment: ServiceEnvironment, clock: any Clock, tracing: WorkTracing?
    ) {
        self.storage = storage
        self.logger = logger
        transport = OnDemandTransport(clock: clock)
        if configuration.asksByItself { storage.openLists(configuration, logger) }
        service = InquiryService(
            configuration.inquiryTargets, store: storage.store,
            transport: transport, clock: clock, tracing: tracing
        ) { name, report in
            let needsAttention = [.denied, .untrusted, .unreadable].contains(report.verdict)
            logger.log(
                level: needsAttention || report.conflicts > 0 ? .warning : .info,
                """
                inquiry \(name.endpoint)/\(name.reference): \(report.verdict.rawValue) \
                (\(report.reason)), \(counted(report.facts, "fact")), \(report.recorded.count) new
                """)
        }
        let warnings = RepeatedWarnings(
            seconds: configuration.log.repeatSeconds, logger, clock: clock)
        let turns: any InquiryTurns
        switch configuration.storage {
        case .journal: turns = OnlyInstance()
        case .database(let database): turns = DatabaseTurns("inquiry", database, environment)
        }
        scheduler = InquiryScheduler(
            service, orders: storage.openOrders, commitFeed: storage.store.commitFeed,
            turns: turns, clock: clock
        ) { endpoint, notice in
            // With a journal there is only one instance.
            if case .turnTaken = notice, turns is OnlyInstance { return }
            // Every endpoint notices that the index or the database is away.
            if case .unreadable(let reason) = notice {
                return warnings.warn(
                    "inquiry \(endpoint): \(notice.sentence)", cause: "inquiries: \(reason)")
            }
            logger.log(
                level: notice.isWarning ? .warning : .info,
                "inquiry \(endpoint): \(notice.sentence)")
        }
        backfill = BackfillModule(
            configuration, service, storage: storage, logger: logger, in: environment,
            clock: clock)
    }

    /// For the receiver: a notification that only says that something happened.
    var look: Look {
        Look { [service] endpoint, question in
            do throws(InquiryRefusal) {
                let report = try await service.look(at: endpoint, question)
                switch report.verdict {
                case .answered: return .recorded(report.recorded)
                case .absent: return .absent
                case .retry, .denied, .untrusted, .unreadable:
                    return .failed(
                        "\(report.reason): \(report.detail)",
                        retryAfterSeconds: Int((report.retryAfterSeconds ?? 60).rounded(.up)))
                }
            } catch {
                switch error {
                case .tooSoon(let seconds):
                    return .failed(
                        "it was asked about a moment ago, or too much is asked",
                        retryAfterSeconds: Int(seconds.rounded(.up)))
                case .notConfigured, .notListed:
                    return .failed("the endpoint has no `inquiry`", retryAfterSeconds: 60)
                case .unreadable, .notStored:
                    return .failed("the answer could not be stored", retryAfterSeconds: 5)
                }
            }
        }
    }

    /// Applies the credentials, URLs and schedules of a reloaded configuration.
    func reload(_ fresh: Configuration) {
        if fresh.asksByItself { storage.openLists(fresh, logger) }
        service.replace(fresh.inquiryTargets)
        scheduler.reload()
        backfill.scheduler.reload()
    }

    /// Writes the metrics.
    func write(to page: inout MetricsPage) async {
        page.write(inquiries: await scheduler.statuses(), counters: service.counters)
        page.write(backfills: await backfill.scheduler.statuses())
    }

    /// Stops, after waiting a limited time for the answers in flight.
    func stop() async {
        await scheduler.stop()
        await backfill.scheduler.stop()
        transport.close()
    }
}

/// A transport that creates its client for the first inquiry, because most servers send none.
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

extension Configuration {
    /// Whether an endpoint has scheduled inquiries.
    var asksByItself: Bool { endpoints.contains { $0.inquiry?.schedule.isAutomatic == true } }

    fileprivate var inquiryTargets: [InquiryTarget] {
        endpoints.compactMap { endpoint in
            guard let inquiry = endpoint.inquiry, let descriptor = endpoint.descriptor.inquiry
            else { return nil }
            var target = InquiryTarget(
                endpoint: endpoint.name, provider: endpoint.system, inquirer: inquiry.inquirer,
                url: inquiry.url, route: inquiry.route, timeoutSeconds: inquiry.timeoutSeconds,
                prefersTransaction: descriptor.prefersTransaction,
                knowsReferences: descriptor.knowsReferences,
                pauseSeconds: inquiry.schedule.secondsPerOrder ?? descriptor.pauseSeconds,
                schedule: inquiry.schedule)
            target.redactor = Redactor(endpoint.redact, hashKey: personal.hashKey)
            target.lister = inquiry.lister
            target.backfillAfterGapSeconds = inquiry.backfillAfterGapSeconds
            return target
        }
    }
}
