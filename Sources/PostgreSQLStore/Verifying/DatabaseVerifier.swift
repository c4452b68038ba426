import Payments
import PostgreSQL
import Records

/// Checks the whole record: the sequences without gaps, each record against its row, the hash chain
/// over the records' exact bytes, and the head against both. It holds no lock and changes nothing,
/// so it may run beside servers that write.
package struct DatabaseVerifier {
    private typealias Damage = DatabaseVerification.Damage

    private let reader: PortionReader
    private let anchor: [UInt8]?
    private var result = DatabaseVerification()
    private var batches: ArraySlice<ChainCheck.Batch> = []

    /// - Parameter anchor: A chain head noted earlier, which the chain must contain.
    package init(_ reader: PortionReader, anchor: [UInt8]? = nil) {
        self.reader = reader
        self.anchor = anchor
    }

    /// Runs to the present end of the record, or to the first damage. `progress` gets the number of
    /// records read so far and in all; `visit` gets every record. Throws the errors of `visit`, and
    /// `DatabaseFailure`.
    package mutating func run(
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in },
        _ visit: (_ sequence: UInt64, _ record: UnsafeRawBufferPointer) throws -> Void = { _, _ in }
    ) throws -> DatabaseVerification {
        result = DatabaseVerification()
        batches = []
        do {
            let extent = try RecordExtent(reader)
            try reader.confirm()
            try check(extent, progress, visit)
        } catch let damage as Damage {
            result.damage = damage
        }
        return result
    }

    private mutating func check(
        _ extent: RecordExtent, _ progress: (Int, Int) -> Void,
        _ visit: (UInt64, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        result.partitions = extent.partitions
        guard extent.last == extent.head, extent.lastBatch <= extent.head else {
            throw Damage(
                reason: .head, sequence: extent.head,
                detail: "the head row ends here, the events with \(extent.last), and the last "
                    + "batch begins with \(extent.lastBatch)")
        }
        var head = [UInt8](repeating: 0, count: 32)
        pass(head, 0)
        if extent.head > 0 {
            head = try checkEvents(extent, progress, visit)
        }
        guard head == extent.chain else {
            throw Damage(
                reason: .head, sequence: extent.head,
                detail: "the head row has another hash than the last batch")
        }
        result.chainHead = head
    }

    /// Checks the events and their batches; returns the hash of the last batch.
    private mutating func checkEvents(
        _ extent: RecordExtent, _ progress: (Int, Int) -> Void,
        _ visit: (UInt64, UnsafeRawBufferPointer) throws -> Void
    ) throws -> [UInt8] {
        var chain = try beginChain(at: extent.first, extent.partition)
        var next = extent.first
        while next <= extent.head {
            let events = try reader.events(after: next - 1, through: extent.head)
            guard let first = events.first?.sequence else { throw missing(next) }
            if first != next {
                // Retention may have dropped a partition meanwhile.
                let now = try RecordExtent(reader)
                guard now.first == first else { throw missing(next) }
                chain = try beginChain(at: first, now.partition)
                batches = []
                next = first
            }
            for event in events {
                guard event.sequence == next else { throw missing(next) }
                try check(event)
                if chain.needsBatch { try chain.begin(try batch(from: next, extent), at: next) }
                if let batch = try chain.add(next, event.record) {
                    result.batches += 1
                    pass(batch.chain, batch.end - 1)
                }
                try event.record.span.withUnsafeBytes { try visit(event.sequence, $0) }
                result.records += 1
                next += 1
            }
            result.span = (result.droppedThrough + 1)...(next - 1)
            progress(Int(next - extent.first), Int(extent.head - extent.first + 1))
        }
        guard chain.needsBatch else {
            throw Damage(
                reason: .batch, sequence: extent.head, detail: "its batch ends after the head")
        }
        return chain.head ?? []
    }

    private func missing(_ sequence: UInt64) -> Damage {
        Damage(reason: .sequence, sequence: sequence, detail: "it is missing")
    }

    /// Notes the sequence if this link of the chain is the anchor.
    private mutating func pass(_ chain: [UInt8], _ last: UInt64) {
        if chain == anchor { result.anchorSequence = last }
    }

    /// Checks that the columns, which are for filters and the merchant's own SQL, agree with the
    /// record.
    private func check(_ row: EventRow) throws {
        let event: RecordedEvent
        do { event = try RecordDecoder.event(row.record) } catch {
            throw Damage(reason: .record, sequence: row.sequence, detail: "\(error)")
        }
        let differing: [(String, Bool)] = [
            ("sequence", event.sequence != row.sequence),
            ("endpoint", event.endpoint != row.endpoint),
            ("outcome", event.outcome.rawValue != row.outcome),
            ("received", event.received.microseconds != row.received),
        ]
        guard let (name, _) = differing.first(where: \.1) else { return }
        throw Damage(
            reason: .record, sequence: row.sequence,
            detail: "its record has another \(name) than its row")
    }
}

/// Reads the rows of `batch`.
extension DatabaseVerifier {
    private mutating func beginChain(
        at first: UInt64, _ partition: UInt64
    ) throws -> ChainCheck {
        result.droppedThrough = first - 1
        let command = Command(
            "SELECT first, count, chain FROM batch WHERE first <= $1 ORDER BY first DESC LIMIT 2")
        let rows = try Self.rows(try reader.run(command.with(Int64(first))))
        return try ChainCheck(from: first, rows, partition: partition)
    }

    /// The next batch, which should begin with `sequence`.
    private mutating func batch(
        from sequence: UInt64, _ extent: RecordExtent
    ) throws -> ChainCheck.Batch? {
        if batches.isEmpty {
            let command = Command(
                """
                SELECT first, count, chain FROM batch
                WHERE first >= $1 AND first <= $2 AND count > 0 ORDER BY first LIMIT 1000
                """)
            let result = try reader.run(
                command.with(Int64(sequence)).with(Int64(extent.head)))
            batches = try Self.rows(result)[...]
        }
        return batches.popFirst()
    }

    private static func rows(_ result: PostgresResult) throws -> [ChainCheck.Batch] {
        try (0..<result.rowCount).map { row in
            ChainCheck.Batch(
                first: UInt64(clamping: try result.integer(row, 0)),
                count: UInt64(clamping: try result.integer(row, 1)),
                chain: try result.bytes(row, 2))
        }
    }
}
