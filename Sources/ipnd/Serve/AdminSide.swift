import AdminAPI
import Configuration
import HTTPServer
import Logging
import Pages
import Platform
import Providers
import Receiver
import Simulator
import Store
import Synchronization

/// What the admin listener serves, put together: orders, events, lists, and the figures of
/// everything.
final class AdminSide: Sendable {
    private let storage: any StorageSide
    private let readiness: Readiness
    private let feed: EventFeed
    private let endpoints: EndpointCatalog
    private let figures: Figures
    private let delivery: DeliverySide?
    private let inquiry: InquirySide
    private let listWaitMillisecondsMax: Atomic<Int>
    private let clock: any Clock
    private let pages: Pages
    private let repetitions: Repetitions
    private let gate: TokenGate
    /// A role's long polls and streams, and those of one address with that role.
    private let waiting = WaitingPlaces(perRoleMax: 512, perPersonMax: 256)
    /// As it was read last.
    private let running: Running

    init(
        _ configuration: Configuration, storage: any StorageSide, delivery: DeliverySide?,
        inquiry: InquirySide, receiver: HTTPServer, metrics: Metrics, readiness: Readiness,
        logger: Logger, clock: any Clock
    ) {
        self.clock = clock
        self.storage = storage
        self.delivery = delivery
        self.inquiry = inquiry
        listWaitMillisecondsMax = Atomic(configuration.listWaitMillisecondsMax)
        self.readiness = readiness
        repetitions = metrics.repetitions
        let gate = TokenGate(
            repeatSeconds: configuration.log.repeatSeconds, logger, clock: clock)
        self.gate = gate
        figures = Figures(
            configuration, metrics: metrics, storage: storage, delivery: delivery,
            inquiry: inquiry, receiver: receiver, gate: gate, clock: clock)
        endpoints = EndpointCatalog(configuration.providersByEndpoint)
        feed = EventFeed(storage.records, commitFeed: storage.store.commitFeed)
        storage.openLists(configuration, logger)
        let running = Running(configuration, clock: clock)
        self.running = running
        pages = Pages(
            PageSources(
                commitFeed: storage.store.commitFeed, lists: storage.lists,
                endpoints: { running.configuration.endpoints },
                rejections: { running.rejections($0) }, explain: { running.explain($0) },
                journal: configuration.journal?.directory),
            gate: gate, clock: clock)
    }

    /// What answers on the listener; the tokens may change at a reload.
    func handler(_ access: AdminAccess) -> PageHandler {
        let api = AdminHandler(
            store: storage.store, endpoints: endpoints, feed: feed, lists: storage.lists,
            deliveries: delivery?.service, inquiries: inquiry.service, repetitions: repetitions,
            pages: AdminPages(
                hindrance: { [storage, readiness] in
                    readiness.isReady ? storage.hindrance : StoreRefusal.shuttingDown.reason
                },
                metrics: { [figures] in await figures.page() }),
            access: access, gate: gate, waiting: waiting,
            listWaitMillisecondsMax: listWaitMillisecondsMax.load(ordering: .relaxed),
            clock: clock)
        return PageHandler(api: api, pages: pages, access: access)
    }

    /// The listener that readers come to, for its figures.
    func watch(_ server: HTTPServer) { figures.watch(server) }

    /// How an attempt to read the configuration again ended.
    func reloaded(_ isDone: Bool) { figures.noteReload(isDone) }

    /// The configuration was read again.
    func reload(_ fresh: Configuration) {
        endpoints.replace(fresh.providersByEndpoint)
        figures.reload(fresh)
        listWaitMillisecondsMax.store(fresh.listWaitMillisecondsMax, ordering: .relaxed)
        running.replace(fresh)
    }
}

/// The configuration that runs, and what the pages ask of it.
private final class Running: Sendable {
    private let value: Mutex<Configuration>

    private let clock: any Clock

    init(_ configuration: Configuration, clock: any Clock) {
        value = Mutex(configuration)
        self.clock = clock
    }

    var configuration: Configuration { value.withLock { $0 } }

    func replace(_ fresh: Configuration) { value.withLock { $0 = fresh } }

    /// The newest entries of the rejection log, or the one of this id.
    func rejections(_ id: String?) -> [RejectionEntry] {
        let folder = configuration.rejections.directory
        guard let id else { return RejectionTail.newest(inFolder: folder) }
        return RejectionTail.entry(id, inFolder: folder).map { [$0] } ?? []
    }

    /// As `ipnd explain` does; nil where no endpoint of the configuration fits the entry.
    func explain(_ entry: RejectionEntry) -> Explanation? {
        let configuration = configuration
        let found = CapturedCase(
            configuration: configuration, request: entry.request, entry: entry, clock: clock)
        let misdirection = found.misdirection
        guard let name = found.endpointName(misdirection),
            let chosen = configuration.endpoint(named: name),
            let system = ProviderRegistry.all[chosen.system]
        else { return nil }
        return Explainer.explain(
            found.suspect(at: chosen, system, misdirection), budget: .serving, clock: clock)
    }
}

extension TokenGate {
    /// Logs wrong tokens: the first, and then how many more came.
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
        self.init(clock: clock) { way, address in
            let cause = LogCause(level: "warning", endpoint: "", reason: "token_wrong")
            guard causes.shouldLog(cause) else { return }
            logger.warning(
                "a wrong token came to the admin listener",
                metadata: [
                    "reason": "\(cause.reason)", "way": "\(way.rawValue)", "client": "\(address)",
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
}

extension AdminConfiguration {
    var access: AdminAccess {
        AdminAccess(token: token, viewerToken: viewerToken, hosts: hosts)
    }
}

/// Whether the server wants notifications: what `/readyz` tells.
final class Readiness: Sendable {
    private let value = Atomic(false)

    var isReady: Bool { value.load(ordering: .acquiring) }

    func set(_ isReady: Bool) { value.store(isReady, ordering: .releasing) }
}
