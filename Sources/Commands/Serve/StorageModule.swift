import AdminAPI
import Delivery
import Logging
import Receiver
import ServerConfiguration
import Store

/// The storage of a server, a journal or a database, and everything that depends on its kind.
protocol StorageModule: AnyObject, Sendable {
    var store: any Store { get }
    /// The records, for the feed.
    var records: any RecordSource { get }
    /// The orders, for lists, after ``openLists(_:_:)``.
    var lists: any OrderLists { get }
    /// The orders to ask providers about, after ``openLists(_:_:)``.
    var openOrders: any OpenOrders { get }
    /// The reason code why notifications cannot be recorded now; nil if they can.
    var hindrance: String? { get }

    /// The keys of sealed records; nil while records are stored as they are.
    var keys: RecordKeys? { get }

    /// Opens the lists, which only readers and scheduled inquiries need. Idempotent.
    func openLists(_ configuration: Configuration, _ logger: Logger)

    /// The delivery's progress, for retention; nil if retention reads it itself.
    var progress: DeliveryProgress? { get }

    /// Ends a round of requests; see `JournalStore.flush`.
    func flush()

    /// Writes the metrics of the storage.
    func write(to page: inout MetricsPage) async

    /// Notes the store's identity and last sequence, for the next start.
    func noteUse(_ logger: Logger)
}

extension StorageModule {
    /// The lists with the merchant's metadata open.
    var openedLists: any OrderLists { keys.map { OpenedLists(lists, $0) } ?? lists }
}
