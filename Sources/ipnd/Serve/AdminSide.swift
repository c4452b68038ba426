import AdminAPI
import Configuration
import HTTPServer
import Logging
import Receiver
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

    init(
        _ configuration: Configuration, storage: any StorageSide, delivery: DeliverySide?,
        inquiry: InquirySide, receiver: HTTPServer, metrics: Metrics, readiness: Readiness,
        logger: Logger
    ) {
        self.storage = storage
        self.delivery = delivery
        self.inquiry = inquiry
        self.readiness = readiness
        figures = Figures(
            configuration, metrics: metrics, storage: storage, delivery: delivery,
            receiver: receiver)
        endpoints = EndpointCatalog(configuration.providersByEndpoint)
        feed = EventFeed(storage.records, commitFeed: storage.store.commitFeed)
        storage.openLists(configuration, logger)
    }

    /// What answers on the listener; `token` may change at a reload.
    func handler(token: [UInt8]?) -> AdminHandler {
        AdminHandler(
            store: storage.store, endpoints: endpoints, feed: feed, lists: storage.lists,
            deliveries: delivery?.service, inquiries: inquiry.service,
            pages: AdminPages(
                hindrance: { [storage, readiness] in
                    readiness.isReady ? storage.hindrance : StoreRefusal.shuttingDown.reason
                },
                metrics: { [figures] in await figures.page() }),
            token: token)
    }

    /// The listener that readers come to, for its figures.
    func watch(_ server: HTTPServer) { figures.watch(server) }

    /// How an attempt to read the configuration again ended.
    func reloaded(_ isDone: Bool) { figures.noteReload(isDone) }

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
