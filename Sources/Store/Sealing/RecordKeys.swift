import Payments
import Records
import Sealing
import Synchronization

/// The key ring of a store, which its writer changes and its readers use.
///
/// Not an actor: `EventLoop` says why.
package final class RecordKeys: Sendable {
    private let ring: Mutex<KeyRing?>

    /// - Parameter ring: Nil while it is not known, or while there is none.
    package init(_ ring: KeyRing? = nil) { self.ring = Mutex(ring) }

    package var current: KeyRing? { ring.withLock { $0 } }

    /// Puts a changed ring in the place of the present one, when it is durable.
    package func replace(_ changed: KeyRing?) { ring.withLock { $0 = changed } }

    /// Opens records by the keys of now. Use it for a page of records and no longer: it keeps keys
    /// that may be destroyed meanwhile.
    package func opener() -> RecordOpener? { current.map { RecordOpener($0) } }
}

/// The orders of other lists with their metadata open.
package struct OpenedLists: OrderLists {
    private let lists: any OrderLists
    private let keys: RecordKeys

    package init(_ lists: any OrderLists, _ keys: RecordKeys) {
        self.lists = lists
        self.keys = keys
    }

    package func sequence() async throws(ReadFailure) -> UInt64 { try await lists.sequence() }

    package var isBehind: Bool { lists.isBehind }

    package func overdueCount() async -> Int? { await lists.overdueCount() }

    package func paidHours(since time: Timestamp) async throws(ReadFailure) -> PaidHours {
        try await lists.paidHours(since: time)
    }

    /// Throws `record_unreadable` where metadata was changed, and what the lists throw.
    package func page(_ query: OrderQuery, limit: Int) async throws(ReadFailure) -> OrderListPage {
        var page = try await lists.page(query, limit: limit)
        guard var opener = keys.opener() else { return page }
        for index in page.orders.indices {
            do throws(RecordError) { try opener.open(&page.orders[index]) } catch {
                throw ReadFailure(
                    "record_unreadable", "order \(page.orders[index].first): \(error)",
                    isTemporary: false)
            }
        }
        return page
    }
}

extension RecordOpener {
    /// Opens the metadata of a listed order. Throws `value` where it was changed.
    package mutating func open(_ order: inout ListedOrder) throws(RecordError) {
        guard let metadata = order.metadata, let opened = try open(metadata: Array(metadata.utf8))
        else { return }
        order.metadata = String(decoding: opened, as: UTF8.self)
    }
}
