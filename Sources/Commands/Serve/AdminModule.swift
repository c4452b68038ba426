import AdminAPI
import Explain
import HTTPServer
import Logging
import Pages
import Platform
import Providers
import Receiver
import Sealing
import ServerConfiguration
import Simulator
import Store
import Synchronization

/// Wires the admin listener: orders, events, lists, metrics and pages.
final class AdminModule: Sendable {
    private let storage: any StorageModule
    private let readiness: Readiness
    private let feed: EventFeed
    private let endpoints: EndpointCatalog
    private let figures: Figures
    private let delivery: DeliveryModule?
    private let inquiry: InquiryModule
    private let listWaitMillisecondsMax: Atomic<Int>
    private let clock: any Clock
    private let pages: Pages
    private let repetitions: Repetitions
    private let gate: TokenGate
    private let audit: AuditLog
    private let rejections: RejectionLog
    private let history: FigureHistory
    private let counting: Task<Void, Never>
    /// Limits the long polls and streams of a role, and of one address in it.
    private let waiting = WaitingPlaces(perRoleMax: 512, perPersonMax: 256)
    /// The configuration in use.
    private let running: Running

    init(
        _ configuration: Configuration, storage: any StorageModule, delivery: DeliveryModule?,
        inquiry: InquiryModule, rejections: RejectionLog, figures: Figures, metrics: Metrics,
        readiness: Readiness,
        logger: Logger, clock: any Clock
    ) {
        self.clock = clock
        self.storage = storage
        self.rejections = rejections
        self.delivery = delivery
        self.inquiry = inquiry
        listWaitMillisecondsMax = Atomic(configuration.listWaitMillisecondsMax)
        self.readiness = readiness
        repetitions = metrics.repetitions
        let gate = TokenGate(
            repeatSeconds: configuration.log.repeatSeconds, logger, clock: clock)
        self.gate = gate
        let audit = AuditLog(
            configuration.audit, repeatSeconds: configuration.log.repeatSeconds, logger,
            clock: clock)
        self.audit = audit
        self.figures = figures
        endpoints = EndpointCatalog(
            configuration.providersByEndpoint, apart: configuration.endpointsApart)
        feed = EventFeed(
            storage.records, commitFeed: storage.store.commitFeed, keys: storage.keys)
        storage.openLists(configuration, logger)
        let history = FigureHistory(folder: configuration.figuresDirectory, clock: clock)
        self.history = history
        counting = Task(executorPreference: BackgroundExecutor.shared) {
            await history.run { await Self.reading(of: figures) }
        }
        let running = Running(configuration, clock: clock)
        self.running = running
        pages = Pages(
            PageSources(
                commitFeed: storage.store.commitFeed, lists: storage.openedLists,
                endpoints: { running.configuration.endpoints },
                rejections: { running.rejections($0) }, explain: { running.explain($0) },
                journal: configuration.journal?.directory, history: history),
            gate: gate, audit: audit, clock: clock)
        record(.start)
    }

    /// Appends an entry about the service itself.
    private func record(_ what: AuditEntry.What, result: Int? = nil) {
        audit.add(AuditEntry(what, by: "ipnd", from: "", result: result))
    }

    /// Ends the audit trail, after the listener.
    func stop() async {
        counting.cancel()
        await counting.value
        // The growth since the last minute.
        history.add(await Self.reading(of: figures))
        history.save()
        audit.flush()
        record(.stop)
    }

    private static func reading(of figures: Figures) async -> MetricsReading {
        MetricsReading(String(decoding: await figures.page(), as: UTF8.self))
    }

    /// The listener's handler; its tokens may change at a reload.
    func handler(_ access: AdminAccess) -> PageHandler {
        let api = AdminHandler(
            store: storage.store, endpoints: endpoints, feed: feed, lists: storage.openedLists,
            deliveries: delivery?.service, inquiries: inquiry.service, repetitions: repetitions,
            pages: AdminPages(
                hindrance: { [storage, readiness] in
                    readiness.isReady ? storage.hindrance : StoreRefusal.shuttingDown.reason
                },
                metrics: { [figures] in await figures.page() }),
            access: access, gate: gate, waiting: waiting,
            outcomes: running.configuration.outcome?.tokens, audit: audit,
            rejections: RejectionEraser(rejections),
            listWaitMillisecondsMax: listWaitMillisecondsMax.load(ordering: .relaxed),
            clock: clock)
        return PageHandler(api: api, pages: pages, access: access)
    }

    /// Adds the admin listener to the metrics.
    func watch(_ server: HTTPServer) { figures.watch(server, gate, audit) }

    /// Records whether a reload succeeded.
    func reloaded(_ isDone: Bool) {
        record(.reload, result: isDone ? 200 : 400)
    }

    /// Applies a reloaded configuration.
    func reload(_ fresh: Configuration) {
        endpoints.replace(fresh.providersByEndpoint, apart: fresh.endpointsApart)
        listWaitMillisecondsMax.store(fresh.listWaitMillisecondsMax, ordering: .relaxed)
        running.replace(fresh)
    }
}

/// The configuration in use, for the pages.
private final class Running: Sendable {
    private let value: Mutex<Configuration>

    private let clock: any Clock

    init(_ configuration: Configuration, clock: any Clock) {
        value = Mutex(configuration)
        self.clock = clock
    }

    var configuration: Configuration { value.withLock { $0 } }

    func replace(_ fresh: Configuration) { value.withLock { $0 = fresh } }

    /// The newest entries of the rejection log, or the entry with this id.
    func rejections(_ id: String?) -> [RejectionEntry] {
        let configuration = configuration
        let folder = configuration.rejections.directory
        let seal = SideSeal.rejections(configuration.personal.masterKeys)
        guard let id else { return RejectionTail.newest(inFolder: folder, seal: seal) }
        return RejectionTail.entry(id, inFolder: folder, seal: seal).map { [$0] } ?? []
    }

    /// Explains an entry as `ipnd explain` does; nil if no endpoint matches it.
    func explain(_ entry: RejectionEntry) -> Explanation? {
        guard entry.lockedBy == nil, !entry.isErased else { return nil }
        let configuration = configuration
        let found = CapturedCase(
            configuration: configuration, request: entry.request, entry: entry, clock: clock)
        let misdirection = found.misdirection
        guard let name = found.endpointName(misdirection),
            let chosen = configuration.endpoint(named: name)
        else { return nil }
        return Explainer.explain(
            found.suspect(at: chosen, chosen.descriptor, misdirection), budget: .serving,
            clock: clock)
    }
}

extension AuditLog {
    /// Logs the first failure, and later the number of repetitions.
    fileprivate convenience init(
        _ audit: AuditConfiguration, repeatSeconds: Int, _ logger: Logger, clock: any Clock
    ) {
        let causes = RepeatedCauses(seconds: repeatSeconds, clock: clock) { cause, count in
            logger.error(
                "repeated",
                metadata: [
                    "reason": "\(cause.reason)", "count": "\(count)", "seconds": "\(repeatSeconds)",
                ])
        }
        self.init(
            folder: audit.directory,
            bounds: Bounds(retainDays: audit.retainDays, bytesMax: audit.bytesMax), clock: clock
        ) { problem in
            let cause = LogCause(level: "error", endpoint: "", reason: "audit_unavailable")
            guard causes.shouldLog(cause) else { return }
            logger.error(
                "the audit trail cannot be written: \(problem)",
                metadata: ["reason": "\(cause.reason)"])
        }
    }
}

extension RejectionEraser {
    init(_ log: RejectionLog) {
        self.init(naming: { try? log.erase(naming: $0) }, before: { try? log.erase(before: $0) })
    }
}

extension TokenGate {
    /// Logs the first wrong token, and later the number of repetitions.
    fileprivate convenience init(
        repeatSeconds: Int, _ logger: Logger, clock: any Clock
    ) {
        let causes = RepeatedCauses(seconds: repeatSeconds, clock: clock) { cause, count in
            logger.warning(
                "repeated",
                metadata: [
                    "reason": "\(cause.reason)", "count": "\(count)", "seconds": "\(repeatSeconds)",
                ])
        }
        self.init(clock: clock) { carrier, address in
            let cause = LogCause(level: "warning", endpoint: "", reason: "token_wrong")
            guard causes.shouldLog(cause) else { return }
            logger.warning(
                "a wrong token came to the admin listener",
                metadata: [
                    "reason": "\(cause.reason)", "way": "\(carrier.rawValue)",
                    "client": "\(address)",
                ])
        }
    }
}

extension Configuration {
    fileprivate var listWaitMillisecondsMax: Int {
        admin?.listWaitMillisecondsMax ?? AdminConfiguration.listWaitMillisecondsDefault
    }

    fileprivate var providersByEndpoint: [String: String] {
        Dictionary(endpoints.map { ($0.name, $0.system) }, uniquingKeysWith: { first, _ in first })
    }

    fileprivate var endpointsApart: Set<String> {
        Set(endpoints.filter(\.provider.idsAreOfReference).map(\.name))
    }
}

extension SocketAddress {
    /// The URL of the pages of an admin listener at this address; nil where no browser reaches it.
    func pagesURL(hasTLS: Bool) -> String? {
        guard case .ip(let address, let port) = self, port != 0 else { return nil }
        let scheme = hasTLS ? "https" : "http"
        // A browser on this machine does not connect to `0.0.0.0`.
        switch address {
        case .v4(let bytes) where bytes.allSatisfy { $0 == 0 }:
            return "\(scheme)://127.0.0.1:\(port)/ui/"
        case .v6(let bytes) where bytes.allSatisfy { $0 == 0 }:
            return "\(scheme)://[::1]:\(port)/ui/"
        default: return "\(scheme)://\(self)/ui/"
        }
    }
}

extension AdminConfiguration {
    var access: AdminAccess {
        AdminAccess(
            token: token, viewerToken: viewerToken,
            people: people.map { AdminPerson(name: $0.name, role: $0.role.role, token: $0.token) },
            identity: identity.map {
                ProxyIdentity(
                    header: $0.header, trusted: $0.trusted, roleOfOthers: $0.role?.role)
            }, hosts: hosts)
    }
}

extension AdminConfiguration.Role {
    fileprivate var role: AdminRole {
        switch self {
        case .admin: .admin
        case .operator: .operator
        case .viewer: .viewer
        }
    }
}

/// Whether the server accepts notifications, as `/readyz` reports it.
final class Readiness: Sendable {
    private let value = Atomic(false)

    var isReady: Bool { value.load(ordering: .acquiring) }

    func set(_ isReady: Bool) { value.store(isReady, ordering: .releasing) }
}
