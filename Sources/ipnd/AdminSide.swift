import Configuration
import HTTPServer
import Logging
import Reading
import Receiver
import Store

/// What the admin listener serves, put together: orders, events, the index behind the intake, and
/// the figures of everything.
final class AdminSide: Sendable {
    private let store: JournalStore
    private let readiness: Readiness
    private let index: OrderIndex
    private let feed: EventFeed
    private let endpoints: EndpointCatalog
    private let indexer: Indexer
    private let figures: Figures

    /// Throws what SQLite says when the index can be neither opened nor made.
    init(
        _ configuration: Configuration, store: JournalStore, receiver: HTTPServer,
        metrics: Metrics, readiness: Readiness, logger: Logger
    ) throws {
        let journal = configuration.journal.directory
        let announcements = store.announcements
        let index = try OrderIndex(directory: configuration.indexDirectory, journal: journal)
        let figures = Figures(
            configuration, metrics: metrics, store: store, receiver: receiver, index: index)
        self.figures = figures
        endpoints = EndpointCatalog(configuration.providersByEndpoint)
        feed = EventFeed(directory: journal, announcements: announcements)
        self.store = store
        self.readiness = readiness
        self.index = index
        indexer = Indexer(
            index, directory: journal, announcements: announcements, recent: store.recent
        ) { logger.warning("\($0)") }
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
