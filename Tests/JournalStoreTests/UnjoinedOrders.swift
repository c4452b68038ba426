import Ledger
import Store

@testable import JournalStore

extension JournalStore {
    /// An order that came under a transaction only and was never joined to another.
    func unjoinedOrders() async -> [OrderView] { await query { $0.unjoined } ?? [] }
}

extension StoreTables {
    /// The orders that no notification has given a reference yet.
    var unjoined: [OrderView] {
        shards.flatMap { shard in
            shard.unjoined.values.compactMap { value in
                StoredOrder(shard.arena.bytes(at: BlobArena.Address(value))).map { stored in
                    OrderView(
                        endpoint: endpoints[stored.endpoint], order: stored.order,
                        sequences: stored.sequences, laterCount: stored.later.count,
                        laterLast: stored.later.last)
                }
            }
        }
    }
}
