import Records
import Synchronization

/// The order rows of the newest durable records, for one follower in this process: while it keeps
/// up, it need not read back what was just written.
///
/// The committer adds, the follower takes. When it takes too rarely, all is dropped and it has to
/// read the stored records.
package final class RecentOrders: Sendable {
    /// In pieces: one that grows is copied, and the committer would wait for megabytes.
    private let durable = Mutex<[OrderRows]>([])
    private let followed = Atomic<Bool>(false)
    private let bytesMax: Int
    private static let pieceBytes = 64 << 10

    package init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Whether a follower takes what is added.
    package var isFollowed: Bool { followed.load(ordering: .relaxed) }

    /// Adds the rows of records that have become durable.
    package func publish(_ rows: OrderRows) {
        if rows.isEmpty { return }
        durable.withLock { pieces in
            let bytes = pieces.reduce(rows.byteCount) { $0 + $1.byteCount }
            let isNext = pieces.last.map { $0.isEmpty || $0.end == rows.first } ?? true
            if bytes > bytesMax || !isNext { pieces.removeAll() }
            if (pieces.last?.byteCount ?? Self.pieceBytes) >= Self.pieceBytes {
                pieces.append(OrderRows())
            }
            pieces[pieces.count - 1].append(rows)
        }
    }

    /// From now on records are added.
    package func follow() { followed.store(true, ordering: .relaxed) }

    /// Exchanges `rows` for all rows that are there.
    ///
    /// Every record that `CommitFeed` had called durable before this call, and that was added at
    /// all, is either in it, or was taken before, or was dropped.
    package func take(_ rows: inout OrderRows) {
        rows.removeAll()
        let pieces = durable.withLock { pieces -> [OrderRows] in
            if pieces.count == 1 {
                swap(&pieces[0], &rows)
                return []
            }
            defer { pieces = [] }
            return pieces
        }
        for piece in pieces { rows.append(piece) }
    }
}
