import AdminAPI
import ArgumentParser
import Glibc
import HTTP
import HTTPServer
import Logging
import Platform
import Providers
import Receiver
import ServerConfiguration
import Synchronization

/// One running ipnd: the store, the receiver on its listeners, and the admin listener. It wires the
/// modules together.
final class Service: Sendable {
    private let storage: any StorageModule
    private let receiver: HTTPServer
    private let admin: HTTPServer?
    private let adminModule: AdminModule?
    private let outcome: OutcomeModule?
    private let alerts: AlertModule?
    private let telemetry: TelemetryModule?
    private let personal: PersonalModule?
    private let figures: Figures
    private let delivery: DeliveryModule?
    private let inquiry: InquiryModule
    private let memory: MemoryModule
    private let sink: LogSink
    private let logger: Logger
    private let readiness: Readiness
    private let started: Configuration
    /// The drain's delay as last configured.
    private let drainDelaySeconds: Mutex<Int>
    /// The running check of the endpoints' former providers.
    private let history = Mutex<Task<Void, Never>?>(nil)
    private let rejections: RejectionLog
    private let metrics: Metrics
    private let clock: any Clock

    private init(
        started: Configuration, storage: any StorageModule, receiver: HTTPServer,
        admin: HTTPServer?, adminModule: AdminModule?, outcome: OutcomeModule?,
        alerts: AlertModule?, telemetry: TelemetryModule?, figures: Figures,
        delivery: DeliveryModule?,
        inquiry: InquiryModule, memory: MemoryModule,
        sink: LogSink, logger: Logger, readiness: Readiness, rejections: RejectionLog,
        metrics: Metrics, clock: any Clock
    ) {
        self.started = started
        drainDelaySeconds = Mutex(started.drainDelaySeconds)
        self.storage = storage
        self.receiver = receiver
        self.admin = admin
        self.adminModule = adminModule
        self.outcome = outcome
        self.alerts = alerts
        self.telemetry = telemetry
        personal = PersonalModule(
            started, storage: storage, delivery: delivery, rejections: rejections, logger,
            clock: clock)
        self.figures = figures
        self.delivery = delivery
        self.inquiry = inquiry
        self.memory = memory
        self.sink = sink
        self.logger = logger
        self.readiness = readiness
        self.rejections = rejections
        self.metrics = metrics
        self.clock = clock
    }

    /// Opens the store, then listens, so that every accepted notification can be recorded. Throws
    /// an exit status after printing the reason.
    static func start(
        _ configuration: Configuration, supervisor: ServiceSupervisor,
        acceptsNewJournal: Bool = false, in environment: ServiceEnvironment, clock: any Clock
    ) async throws -> Service {
        let sink = LogSink()
        do {
            return try await start(
                configuration, supervisor, acceptsNewJournal: acceptsNewJournal, sink: sink,
                in: environment, clock: clock)
        } catch {
            sink.close()
            throw error
        }
    }

    private static func start(
        _ configuration: Configuration, _ supervisor: ServiceSupervisor,
        acceptsNewJournal: Bool, sink: LogSink, in environment: ServiceEnvironment,
        clock: any Clock
    ) async throws -> Service {
        let format = LogFormat(rawValue: configuration.log.format.rawValue) ?? .text
        let level = Logger.Level(rawValue: configuration.log.level.rawValue) ?? .info
        let logger = Logger(label: "ipnd") { _ in
            SinkLogHandler(sink: sink, format: format, level: level)
        }
        for warning in configuration.warnings {
            logger.warning("\(warning.place): \(warning.sentence)")
        }
        let inherited = try Opening.inheritedSockets(of: supervisor, for: configuration, logger)
        let signs = StartSigns { supervisor.starting(forSeconds: StartSigns.extensionSeconds) }
        let storage = try signs.during {
            try Opening.storage(
                configuration, logger, acceptsNew: acceptsNewJournal, in: environment, clock: clock)
        }
        do {
            return try await serve(
                configuration, from: storage, inherited: inherited, sink: sink, format: format,
                logger: logger, in: environment, clock: clock)
        } catch {
            // Ends its threads.
            await storage.store.close()
            throw error
        }
    }

    private static func serve(
        _ configuration: Configuration, from storage: any StorageModule,
        inherited: [SocketAddress: ListeningSocket], sink: LogSink, format: LogFormat,
        logger: Logger, in environment: ServiceEnvironment, clock: any Clock
    ) async throws -> Service {
        let rejections = Opening.rejections(configuration, logger)
        let metrics = Metrics()
        let readiness = Readiness()
        let requestLog = RequestLog(
            sink: sink, format: format, metrics: metrics, rejections: rejections,
            level: logger.logLevel, repeatSeconds: configuration.log.repeatSeconds)
        let budget = try Opening.budget(configuration, logger)
        var settings = configuration.serverSettings
        settings.limits = budget.limits(settings.limits)
        let telemetry = TelemetryModule(configuration, logger, clock: clock)
        let inquiry = InquiryModule(
            configuration, storage: storage, logger: logger, in: environment, clock: clock,
            tracing: telemetry?.work)
        let receiver = try Opening.server(
            settings,
            handler: Receiver(
                configuration, metrics, storage, requestLog, inquiry, telemetry, settings.limits),
            inherited: inherited, onRoundEnd: { storage.flush() })
        let delivery = try DeliveryModule(
            configuration, storage: storage, logger: logger, in: environment,
            tracing: telemetry?.work)
        var admin: HTTPServer?
        var adminModule: AdminModule?
        let memory = MemoryModule(configuration, logger: logger)
        let figures = Figures(
            configuration, metrics: metrics, storage: storage, delivery: delivery,
            inquiry: inquiry, telemetry: telemetry, receiver: receiver, clock: clock)
        if let adminConfiguration = configuration.admin {
            let module = AdminModule(
                configuration, storage: storage, delivery: delivery, inquiry: inquiry,
                rejections: rejections, figures: figures, metrics: metrics, readiness: readiness,
                logger: logger, clock: clock)
            let server = try Opening.server(
                ServerSettings(
                    listeners: [adminConfiguration.settings],
                    limits: budget.adminLimits(configuration.limits)),
                handler: module.handler(adminConfiguration.access), inherited: inherited)
            module.watch(server)
            admin = server
            adminModule = module
        }
        let outcome = try configuration.outcome.map { outcome in
            try OutcomeModule(
                outcome, budget.settings(of: outcome, in: configuration), storage: storage,
                inquiry: inquiry, inherited: inherited, clock: clock)
        }
        let alerts = AlertModule(configuration, storage, figures, logger, clock: clock)
        telemetry?.begin(figures)
        await delivery?.service.awaitBegin()
        // All accept only after every other step, so that no notification is accepted by a server
        // that fails to start.
        readiness.set(true)
        receiver.accept()
        admin?.accept()
        outcome?.server.accept()
        let service = Service(
            started: configuration, storage: storage, receiver: receiver, admin: admin,
            adminModule: adminModule, outcome: outcome, alerts: alerts, telemetry: telemetry,
            figures: figures, delivery: delivery, inquiry: inquiry, memory: memory, sink: sink,
            logger: logger, readiness: readiness, rejections: rejections, metrics: metrics,
            clock: clock)
        service.announce()
        return service
    }

    private func announce() {
        storage.noteUse(logger)
        logger.info("\(readyLine)")
        if let pagesURL { logger.info("pages for people at \(pagesURL)") }
        checkHistory(started)
    }

    private func checkHistory(_ configuration: Configuration) {
        guard admin != nil || configuration.asksByItself else { return }
        let look = EndpointHistory(storage, clock: clock).look(at: configuration, logger)
        history.withLock { history in
            history?.cancel()
            history = look
        }
    }

    /// `ready 127.0.0.1:8080 admin=127.0.0.1:9090 outcome=127.0.0.1:8082`
    var readyLine: String {
        var words = ["ready"] + receiver.addresses.map(\.description)
        if let admin { words += admin.addresses.map { "admin=\($0)" } }
        if let outcome { words += outcome.server.addresses.map { "outcome=\($0)" } }
        return words.joined(separator: " ")
    }

    /// The address of the pages on this machine; nil without an admin listener on TCP.
    private var pagesURL: String? {
        guard let admin, let configured = started.admin else { return nil }
        return admin.addresses.lazy.compactMap { $0.pagesURL(hasTLS: configured.tls != nil) }.first
    }

    /// Reloads the configuration. If it is invalid or needs a restart, logs that and changes
    /// nothing.
    func reload(from file: String, logFormat: LogConfiguration.Format?) async {
        let isDone = await apply(file, logFormat: logFormat)
        figures.noteReload(isDone)
        adminModule?.reloaded(isDone)
    }

    /// Loads and applies the configuration. Returns whether it succeeded.
    private func apply(_ file: String, logFormat: LogConfiguration.Format?) async -> Bool {
        do {
            var fresh = try Configuration.load(file: file, memory: started.memory)
            if let logFormat { fresh.log.format = logFormat }
            if let difference = started.differenceThatNeedsRestart(fresh) {
                logger.error("reload refused: changing \(difference) needs a restart")
                return false
            }
            let format = LogFormat(rawValue: fresh.log.format.rawValue) ?? .text
            let level = Logger.Level(rawValue: fresh.log.level.rawValue) ?? .info
            let requestLog = RequestLog(
                sink: sink, format: format, metrics: metrics, rejections: rejections,
                level: level, repeatSeconds: fresh.log.repeatSeconds)
            let budget = try Opening.budget(fresh, logger)
            var settings = fresh.serverSettings
            settings.limits = budget.limits(settings.limits)
            await receiver.replace(
                settings,
                handler: Receiver(
                    fresh, metrics, storage, requestLog, inquiry, telemetry, settings.limits))
            figures.reload(fresh)
            adminModule?.reload(fresh)
            delivery?.reload(fresh)
            inquiry.reload(fresh)
            memory.connect(fresh)
            if let alerts, let freshAlerts = fresh.alerts { await alerts.reload(freshAlerts) }
            if let admin, let adminModule, let freshAdmin = fresh.admin {
                await admin.replace(
                    ServerSettings(
                        listeners: [freshAdmin.settings], limits: budget.adminLimits(fresh.limits)),
                    handler: adminModule.handler(freshAdmin.access))
            }
            if let outcome, let freshOutcome = fresh.outcome {
                await outcome.reload(
                    freshOutcome, settings: budget.settings(of: freshOutcome, in: fresh))
            }
            drainDelaySeconds.withLock { $0 = fresh.drainDelaySeconds }
            logger.info("reloaded \(file)")
            checkHistory(fresh)
            return true
        } catch {
            logger.error("reload refused: \(error)")
            return false
        }
    }

    /// Notifies systemd's watchdog at its interval that all loops run, until cancelled. If a loop
    /// hangs, nothing is sent, and systemd restarts the service.
    func beat(_ supervisor: ServiceSupervisor) async {
        guard let interval = supervisor.watchdogMicroseconds, interval > 1 else { return }
        while !Task.isCancelled {
            await receiver.turn()
            supervisor.isAlive()
            try? await clock.sleep(microseconds: Int64(interval / 2))
        }
    }

    /// Drains. `readyz` fails first, so that a load balancer stops sending; after `drainDelay`
    /// nothing is accepted, requests in flight finish, and their notifications are durable.
    func stop() async {
        logger.info("draining")
        readiness.set(false)
        history.withLock { $0?.cancel() }
        let delay = drainDelaySeconds.withLock { $0 }
        // A second signal cancels the delay and the drain.
        if delay > 0 { try? await clock.sleep(seconds: delay) }
        await receiver.drain()
        memory.stop()
        await personal?.stop()
        await alerts?.stop()
        await inquiry.stop()
        await delivery?.stop()
        await telemetry?.stop()
        await storage.store.close()
        storage.noteUse(logger)
        await outcome?.server.drain()
        await admin?.drain()
        await adminModule?.stop()
        logger.info("stopped")
        sink.close()
    }
}

extension Receiver {
    /// The receiver of a configuration.
    fileprivate init(
        _ configuration: Configuration, _ metrics: Metrics, _ storage: any StorageModule,
        _ requestLog: RequestLog, _ inquiry: InquiryModule, _ telemetry: TelemetryModule?,
        _ limits: Limits
    ) {
        self.init(
            endpoints: EndpointTable(configuration, metrics: metrics), store: storage.store,
            requestLog: requestLog, look: inquiry.look, tracing: telemetry?.notifications,
            eventsPerRequestMax: limits.eventsPerRequestMax)
    }
}
