import AdminAPI
import ArgumentParser
import Configuration
import Glibc
import HTTPServer
import Logging
import Platform
import Providers
import Receiver
import Synchronization

/// One running ipnd: the store, the receiver on its listeners, the admin side. This is where the
/// modules meet.
final class Service: Sendable {
    private let storage: any StorageSide
    private let receiver: HTTPServer
    private let admin: HTTPServer?
    private let adminSide: AdminSide?
    private let delivery: DeliverySide?
    private let inquiry: InquirySide
    private let sink: LogSink
    private let logger: Logger
    private let readiness: Readiness
    private let started: Configuration
    /// The drain's delay as last configured.
    private let drainDelaySeconds: Mutex<Int>
    /// The present look at the endpoints' former providers.
    private let history = Mutex<Task<Void, Never>?>(nil)
    private let rejections: RejectionLog
    private let metrics: Metrics
    private let clock: any Clock

    private init(
        started: Configuration, storage: any StorageSide, receiver: HTTPServer,
        admin: HTTPServer?, adminSide: AdminSide?, delivery: DeliverySide?, inquiry: InquirySide,
        sink: LogSink, logger: Logger, readiness: Readiness, rejections: RejectionLog,
        metrics: Metrics, clock: any Clock
    ) {
        self.started = started
        drainDelaySeconds = Mutex(started.drainDelaySeconds)
        self.storage = storage
        self.receiver = receiver
        self.admin = admin
        self.adminSide = adminSide
        self.delivery = delivery
        self.inquiry = inquiry
        self.sink = sink
        self.logger = logger
        self.readiness = readiness
        self.rejections = rejections
        self.metrics = metrics
        self.clock = clock
    }

    /// Opens the store, then listens: a connection is accepted only by a server that can keep
    /// what it brings. Throws an exit status after saying why.
    static func start(
        _ configuration: Configuration, supervisor: ServiceSupervisor,
        acceptsNewJournal: Bool = false, clock: any Clock
    ) async throws -> Service {
        let sink = LogSink()
        do {
            return try await start(
                configuration, supervisor, acceptsNewJournal: acceptsNewJournal, sink: sink,
                clock: clock)
        } catch {
            sink.close()
            throw error
        }
    }

    private static func start(
        _ configuration: Configuration, _ supervisor: ServiceSupervisor,
        acceptsNewJournal: Bool, sink: LogSink, clock: any Clock
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
                configuration, logger, acceptsNew: acceptsNewJournal, clock: clock)
        }
        do {
            return try serve(
                configuration, from: storage, inherited: inherited, sink: sink, format: format,
                logger: logger, clock: clock)
        } catch {
            // What it prepares ahead, and its threads, end with it.
            await storage.store.close()
            throw error
        }
    }

    private static func serve(
        _ configuration: Configuration, from storage: any StorageSide,
        inherited: [SocketAddress: ListeningSocket], sink: LogSink, format: LogFormat,
        logger: Logger, clock: any Clock
    ) throws -> Service {
        let rejections = Opening.rejections(configuration, logger)
        let metrics = Metrics()
        let readiness = Readiness()
        let requestLog = RequestLog(
            sink: sink, format: format, metrics: metrics, rejections: rejections,
            level: logger.logLevel, repeatSeconds: configuration.log.repeatSeconds)
        let budget = try Opening.budget(configuration, logger)
        var settings = configuration.serverSettings
        settings.limits = budget.limits(settings.limits)
        let receiver = try Opening.server(
            settings,
            handler: Receiver(
                endpoints: EndpointTable(configuration, metrics: metrics), store: storage.store,
                requestLog: requestLog),
            inherited: inherited, onRoundEnd: { storage.flush() })
        let delivery = try DeliverySide(configuration, storage: storage, logger: logger)
        var admin: HTTPServer?
        var adminSide: AdminSide?
        let inquiry = InquirySide(
            configuration, storage: storage, logger: logger, clock: clock)
        if let adminConfiguration = configuration.admin {
            let side = AdminSide(
                configuration, storage: storage, delivery: delivery, inquiry: inquiry,
                receiver: receiver, metrics: metrics, readiness: readiness, logger: logger,
                clock: clock)
            let server = try Opening.server(
                ServerSettings(
                    listeners: [adminConfiguration.settings],
                    limits: budget.adminLimits(configuration.limits)),
                handler: side.handler(adminConfiguration.access), inherited: inherited)
            side.watch(server)
            admin = server
            adminSide = side
        }
        // Both accept now that nothing can fail any more: no notification is taken by a server that
        // then does not start.
        readiness.set(true)
        receiver.accept()
        admin?.accept()
        let service = Service(
            started: configuration, storage: storage, receiver: receiver, admin: admin,
            adminSide: adminSide, delivery: delivery, inquiry: inquiry, sink: sink, logger: logger,
            readiness: readiness,
            rejections: rejections, metrics: metrics, clock: clock)
        storage.noteUse(logger)
        logger.info("\(service.readyLine)")
        service.lookAtHistory(configuration)
        return service
    }

    private func lookAtHistory(_ configuration: Configuration) {
        guard admin != nil || configuration.asksByItself else { return }
        let look = EndpointHistory(storage, clock: clock).look(at: configuration, logger)
        history.withLock { history in
            history?.cancel()
            history = look
        }
    }

    /// `ready 127.0.0.1:8080 admin=127.0.0.1:9090`
    var readyLine: String {
        var words = ["ready"] + receiver.addresses.map(\.description)
        if let admin { words += admin.addresses.map { "admin=\($0)" } }
        return words.joined(separator: " ")
    }

    /// Reads the configuration again. After a mistake, and where a restart would be needed, it is
    /// reported and nothing changes.
    func reload(from file: String, logFormat: LogConfiguration.Format?) async {
        let isDone = await takeUp(file, logFormat: logFormat)
        adminSide?.reloaded(isDone)
    }

    /// Whether the configuration was taken up.
    private func takeUp(_ file: String, logFormat: LogConfiguration.Format?) async -> Bool {
        do {
            var fresh = try Configuration.load(file: file)
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
                    endpoints: EndpointTable(fresh, metrics: metrics), store: storage.store,
                    requestLog: requestLog))
            adminSide?.reload(fresh)
            delivery?.reload(fresh)
            inquiry.reload(fresh)
            if let admin, let adminSide, let freshAdmin = fresh.admin {
                await admin.replace(
                    ServerSettings(
                        listeners: [freshAdmin.settings], limits: budget.adminLimits(fresh.limits)),
                    handler: adminSide.handler(freshAdmin.access))
            }
            drainDelaySeconds.withLock { $0 = fresh.drainDelaySeconds }
            logger.info("reloaded \(file)")
            lookAtHistory(fresh)
            return true
        } catch {
            logger.error("reload refused: \(error)")
            return false
        }
    }

    /// Tells the watchdog that all loops turn, as often as it wants, until cancelled. If a
    /// loop hangs, nothing is sent, and systemd restarts the service.
    func beat(_ supervisor: ServiceSupervisor) async {
        guard let interval = supervisor.watchdogMicroseconds, interval > 1 else { return }
        while !Task.isCancelled {
            await receiver.turn()
            supervisor.isAlive()
            try? await clock.sleep(microseconds: Int64(interval / 2))
        }
    }

    /// Drains: `readyz` fails first, so that a load balancer looks elsewhere; after `drainDelay`
    /// nothing is accepted any more, requests in flight finish, and what they brought is durable.
    func stop() async {
        logger.info("draining")
        readiness.set(false)
        history.withLock { $0?.cancel() }
        let delay = drainDelaySeconds.withLock { $0 }
        // Cancelled by a second signal, and so is the drain.
        if delay > 0 { try? await clock.sleep(seconds: delay) }
        await receiver.drain()
        await inquiry.stop()
        await delivery?.stop()
        await storage.store.close()
        storage.noteUse(logger)
        await admin?.drain()
        logger.info("stopped")
        sink.close()
    }
}
