/// Follows the hash chain over the batches, record by record. It is pure: batches and records in,
/// links of the chain or damage out.
struct ChainCheck {
    typealias Damage = DatabaseVerification.Damage

    /// A row of `batch`.
    struct Batch {
        var first: UInt64
        var count: UInt64
        var chain: [UInt8]

        /// The sequence after the batch.
        var end: UInt64 { first + count }
        /// Whether the row has no events and only dates identities.
        var isMark: Bool { count == 0 }
    }

    /// The hash of the last batch; nil if it is unknown because its events are gone.
    private(set) var head: [UInt8]?
    private var batch: Batch?
    /// The records of the batch so far.
    private var records: [[UInt8]] = []
    /// Whether all records of the batch exist.
    private var isWhole = true

    /// - Parameters:
    ///   - first: The first existing sequence.
    ///   - rows: The last rows of `batch` that begin at `first` or before, in descending order, at
    ///     most two.
    ///   - partition: The first sequence of the oldest partition: everything before it was dropped.
    init(from first: UInt64, _ rows: [Batch], partition: UInt64) throws(Damage) {
        guard let last = rows.first, !last.isMark else {
            throw Damage(reason: .batch, sequence: first, detail: "it is in no batch")
        }
        let before = rows.dropFirst().first
        guard first == max(partition, 1) || before?.isMark == true else {
            throw Damage(
                reason: .sequence, sequence: first,
                detail: "the records before it are gone, and no whole partition was dropped")
        }
        if last.first < first {
            guard last.end > first else {
                throw Damage(reason: .batch, sequence: first, detail: "it is in no batch")
            }
            (batch, isWhole) = (last, false)
        } else if let before {
            guard before.isMark || before.end == first else {
                throw Damage(
                    reason: .batch, sequence: first,
                    detail: "the batch before it ends with \(before.end - 1)")
            }
            head = before.chain
        } else if first == 1 {
            head = [UInt8](repeating: 0, count: 32)
        }
    }

    /// Whether the next record needs `begin` first.
    var needsBatch: Bool { batch == nil }

    /// Begins the batch that starts with `sequence`.
    mutating func begin(_ next: Batch?, at sequence: UInt64) throws(Damage) {
        guard let next, next.first == sequence else {
            throw Damage(reason: .batch, sequence: sequence, detail: "no batch begins with it")
        }
        batch = next
    }

    /// Adds the next record. Returns the batch if the record was its last.
    mutating func add(_ sequence: UInt64, _ record: [UInt8]) throws(Damage) -> Batch? {
        guard let batch else { return nil }
        if isWhole { records.append(record) }
        guard sequence + 1 == batch.end else { return nil }
        if isWhole, let head {
            guard RecordChain.hash(after: head, first: batch.first, records) == batch.chain else {
                throw Damage(
                    reason: .chain, sequence: batch.first,
                    detail: "the records \(batch.first) to \(sequence) have another hash than "
                        + "their batch")
            }
        }
        head = batch.chain
        records.removeAll(keepingCapacity: true)
        (self.batch, isWhole) = (nil, true)
        return batch
    }
}
