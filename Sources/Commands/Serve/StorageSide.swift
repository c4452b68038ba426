import AdminAPI
import Configuration
import Delivery
import Logging
import Receiver
import Store

/// What a server keeps its record in, with everything that depends on which it is.
protocol StorageSide: AnyObject, Sendable {
    var store: any Store { get }
    /// What the feed reads.
    var records: any RecordSource { get }
    /// What lists are answered from, once `openLists` has been called.
    var lists: any OrderLists { get }
    /// The orders about which a provider may be asked, once `openLists` has been called.
    var openOrders: any OpenOrders { get }
    /// Why notifications cannot be recorded now, as a reason code; nil when they can.
    var hindrance: String? { get }

    /// Prepares what only readers and the schedule of inquiries need. Again, it does nothing.
    func openLists(_ configuration: Configuration, _ logger: Logger)

    /// What retention waits for here; nil where it looks for itself.
    var progress: DeliveryProgress? { get }

    /// A round of requests has ended: see `JournalStore.flush`.
    func flush()

    /// The figures of it, for `/metrics`.
    func write(to page: inout MetricsPage) async

    /// Leaves word of which store was used here, and how far, for the next start.
    func noteUse(_ logger: Logger)
}
