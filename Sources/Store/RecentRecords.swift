import Records
import Synchronization

/// The heads of the newest durable records, for a follower in this process: while it keeps up, it
/// need not read back what was just written.
///
/// The store adds heads, the follower takes them. If it takes too rarely, all are dropped and it
/// has to read the stored records.
package final class RecentRecords: Sendable {
    /// In pieces: a growing array is copied, and the committer's notifications would wait for
    /// megabytes.
    private let durable = Mutex<[RecordHeads]>([])
    private let followed = Atomic<Bool>(false)
    private let bytesMax: Int
    private static let pieceBytes = 64 << 10

    package init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Whether a follower takes the heads.
    package var isFollowed: Bool { followed.load(ordering: .relaxed) }

    /// Adds the heads of records that have become durable.
    package func publish(_ heads: RecordHeads) {
        if heads.isEmpty { return }
        durable.withLock { pieces in
            let bytes = pieces.reduce(heads.byteCount) { $0 + $1.byteCount }
            let isNext = pieces.last.map { $0.isEmpty || $0.end == heads.first } ?? true
            if bytes > bytesMax || !isNext { pieces.removeAll() }
            if (pieces.last?.byteCount ?? Self.pieceBytes) >= Self.pieceBytes {
                pieces.append(RecordHeads())
            }
            pieces[pieces.count - 1].append(heads)
        }
    }

    /// Starts adding heads.
    package func follow() { followed.store(true, ordering: .relaxed) }

    /// Returns all heads, in exchange for memory that is no longer needed.
    ///
    /// Every head that was added for a record that `CommitFeed` had published before this call is
    /// in the result, was returned before, or was dropped.
    package func take(_ heads: inout RecordHeads) {
        heads.removeAll()
        let pieces = durable.withLock { pieces -> [RecordHeads] in
            if pieces.count == 1 {
                swap(&pieces[0], &heads)
                return []
            }
            defer { pieces = [] }
            return pieces
        }
        for piece in pieces { heads.append(piece) }
    }
}
