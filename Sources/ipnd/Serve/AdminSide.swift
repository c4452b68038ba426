import AdminAPI
import Configuration
import HTTPServer
import JournalStore
import Logging
import Receiver
import Synchronization

/// What the admin listener serves, put together: orders, events, the index behind the intake, and
/// the figures of everything.
final class AdminSide: Sendable {
    private let store: JournalStore
    private let readiness: Readiness
    private let index = ServedIndex()
    private let feed: EventFeed
    private let endpoints: EndpointCatalog
    private let indexer: Indexer
    private let figures: Figures

    /// How long the start waits for the index; a large one is checked behind it.
    private static let indexMillisecondsMax: Int32 = 1000

    init(
        _ configuration: Configuration, journal: String, store: JournalStore, receiver: HTTPServer,
        metrics: Metrics, readiness: Readiness, logger: Logger
    ) {
        let commitFeed = store.commitFeed
        let figures = Figures(
            configuration, metrics: metrics, store: store, receiver: receiver, index: index)
        self.figures = figures
        endpoints = EndpointCatalog(configuration.providersByEndpoint)
        feed = EventFeed(directory: journal, commitFeed: commitFeed)
        self.store = store
        self.readiness = readiness
        indexer = Indexer(
            index, in: configuration.indexDirectory, directory: journal,
            commitFeed: commitFeed, recent: store.recent,
            lookUp: { [store] in store.orders($0) }
        ) { logger.warning("\($0)") }
        index.awaitFirstTry(milliseconds: Self.indexMillisecondsMax)
    }

    /// What answers on the listener; `token` may change at a reload.
    func handler(token: [UInt8]?) -> AdminHandler {
        AdminHandler(
            store: store, identity: store.identity, endpoints: endpoints, feed: feed, index: index,
            pages: AdminPages(
                isReady: { [store, readiness] in
                    readiness.isReady && !store.statistics.spaceIsMissing
                },
                metrics: { [figures] in await figures.page() }),
            token: token)
    }

    /// The listener that readers come to, for its figures.
    func watch(_ server: HTTPServer) { figures.watch(server) }

    /// The configuration was read again.
    func reload(_ fresh: Configuration) {
        endpoints.replace(fresh.providersByEndpoint)
        figures.reload(fresh)
    }
}

extension Configuration {
    fileprivate var providersByEndpoint: [String: String] {
        Dictionary(endpoints.map { ($0.name, $0.system) }, uniquingKeysWith: { first, _ in first })
    }
}

/// Whether the server wants notifications: what `/readyz` tells.
final class Readiness: Sendable {
    private let value = Atomic(false)

    var isReady: Bool { value.load(ordering: .acquiring) }

    func set(_ isReady: Bool) { value.store(isReady, ordering: .releasing) }
}
