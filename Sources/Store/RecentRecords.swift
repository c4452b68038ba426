import Records
import Synchronization

/// The heads of the newest durable records, for a follower in this process: as long as
/// it keeps up, it need not read back what was just written.
///
/// The store adds, the follower takes. When it takes too rarely, all is dropped and it has to read
/// the stored records.
package final class RecentRecords: Sendable {
    /// In pieces: one that grows is copied, and the committer's notifications would wait for
    /// megabytes.
    private let durable = Mutex<[RecordHeads]>([])
    private let followed = Atomic<Bool>(false)
    private let bytesMax: Int
    private static let pieceBytes = 64 << 10

    package init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Whether a follower takes what is added.
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

    /// From now on records are added.
    package func follow() { followed.store(true, ordering: .relaxed) }

    /// Gives all that is there in exchange for memory that is not needed any more.
    ///
    /// Everything that `CommitFeed` had called durable before this call, and that was added at
    /// all, is either in it or was given out before, or was forgotten.
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
