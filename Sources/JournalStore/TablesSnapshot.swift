/// What a snapshot of the tables contains.
///
/// The pieces of a snapshot (`SnapshotWriter`) belong to numbered sections and come back whole and
/// in order:
///
/// | section | piece | content |
/// |---|---|---|
/// | 0 | first of all | `TablesHeader`: version, key, counts, endpoints, ages |
/// | 16 n + 1 | before all other pieces of shard n | `ShardHeader`: how long everything in it is |
/// | 16 n + 2 | any number | slots of the event table |
/// | 16 n + 3 | any number | slots of the order table |
/// | 16 n + 4 | any number | slots of the pointer table |
/// | 16 n + 5 | any number | slots of the table of unjoined orders |
/// | 16 n + 6 | any number | the arena's chunks, one after the other |
///
/// Slots are words as they are in memory, little-endian, so that loading is copying. A snapshot of
/// another version is passed over, and the journal is read instead. Only where the journal's
/// beginning is gone a snapshot of version 1 is taken: its orders are written anew
/// (`StoreTables.modernized`), and the rest of it was the same.
enum TablesSnapshot {
    static let version: UInt64 = 3
    /// Version 2 never left its workshop.
    static let readable: Set<UInt64> = [1, 3]
    static let headerSection: UInt32 = 0

    /// The sections of a shard.
    enum Part: UInt32, CaseIterable {
        case header = 1
        case events, orders, pointers, unjoined, arena
    }

    static func section(_ part: Part, of shard: Int) -> UInt32 {
        UInt32(shard) << 4 | part.rawValue
    }

    /// Which shard and part a section is; nil when it is none.
    static func place(_ section: UInt32) -> (shard: Int, part: Part)? {
        guard let part = Part(rawValue: section & 15), section >> 4 < StoreShard.count else {
            return nil
        }
        return (Int(section >> 4), part)
    }
}
