import Ledger
import Payments
import Platform
import PostgreSQL
import Records

/// Records of a journal with their own bytes and sequences, imported as one transaction and decided
/// by the same ledger as a server's batches.
struct ImportBatch {
    private struct Item {
        var bytes: [UInt8]
        var record: RecordedEvent
        /// The events that the record counts as: two if the journal has corrected it.
        var events: [RecordedEvent]
        var endpoint: UInt16
    }

    let records: [ImportedRecord]
    let schema: String
    let factsMax: Int
    let deadline: MonotonicTime

    /// Runs the transaction: all of it becomes durable, or nothing. After a failure the connection
    /// is unusable.
    func run(
        _ session: inout WriterSession, _ corrections: inout KnownCorrections
    ) throws(BatchTransaction.Failure) {
        guard let first = records.first?.sequence, let last = records.last else { return }
        let link = session.link
        link.clearWarning()
        var commands: [Command]
        do throws(PostgresError) {
            try session.addPartitions(until: deadline)
            let items = try items(&session, &corrections)
            var keys = KeyMaker(function: session.function)
            let lookups = Self.lookups(of: items, &keys)
            var locked = try BatchMessages.locked(
                link.run(BatchMessages.beginning(loading: lookups), until: deadline),
                having: lookups)
            guard locked.version == SchemaVersion.importing else {
                throw .unexpected("another process has ended the import")
            }
            guard locked.sequence + 1 == first else {
                throw .unexpected("another import has continued to \(locked.sequence)")
            }
            var changes = decide(items, over: locked.loaded, session.function, first: first)
            for _ in 0..<BatchMessages.missedLoadsMax where locked.loaded.hasMissed {
                try BatchMessages.loadMissed(&locked.loaded, link, until: deadline)
                changes = decide(items, over: locked.loaded, session.function, first: first)
            }
            guard locked.loaded.isComplete else {
                throw .unexpected("a decision asked for what was not loaded")
            }
            commands = changes.commands(after: locked.chain, channel: schema)
        } catch {
            throw .failed(error)
        }
        commands.append(
            Command(Self.date).with(Int64(first)).with(last.event.received.microseconds))
        try BatchMessages.sendCommit(commands, link)
        try BatchMessages.awaitCommit(link, until: deadline)
        session.sequence = last.sequence
    }

    private func items(
        _ session: inout WriterSession, _ corrections: inout KnownCorrections
    ) throws(PostgresError) -> [Item] {
        var items: [Item] = []
        for record in records {
            let (first, second) = corrections.events(of: record.event)
            items.append(
                Item(
                    bytes: record.bytes, record: record.event,
                    events: second.map { [first, $0] } ?? [first],
                    endpoint: try session.number(of: record.event.endpoint, until: deadline)))
        }
        return items
    }

    private static func lookups(of items: [Item], _ keys: inout KeyMaker) -> LedgerLookups {
        var lookups = LedgerLookups()
        for item in items {
            for event in item.events {
                let hashes = keys.hashes(of: event.notification, item.endpoint)
                lookups.add(event.notification, hashes, &keys)
                lookups.addConflict(event.notification, hashes, &keys)
                if let action = event.action {
                    lookups.add(action, endpoint: item.endpoint, &keys)
                }
                if let registered = event.registered,
                    let reference = event.notification.reference
                {
                    lookups.add(registered, for: reference, endpoint: item.endpoint, &keys)
                }
            }
        }
        return lookups
    }

    private func decide(
        _ items: [Item], over loaded: WorkingSet, _ function: SipHash, first: UInt64
    ) -> BatchChanges {
        var changes = BatchChanges(first: first, over: loaded)
        var batch = PendingBatch(function: function, factsMax: factsMax)
        for item in items {
            changes.append(imported: item.bytes, item.record, item.endpoint)
            for event in item.events {
                let hashes = batch.keys.hashes(of: event.notification, item.endpoint)
                let change = batch.decide(event, hashes, in: loaded)
                changes.remark(change, of: event)
                batch.accept(change, received: item.record.received)
            }
        }
        batch.apply(to: &changes)
        return changes
    }

    /// Dates the batch by the journal's time, because a batch dates its identities.
    private static let date = Statement(
        name: "date",
        sql: """
            UPDATE batch SET committed = 'epoch'::timestamptz + $2 * interval '1 microsecond'
            WHERE first = $1
            """)
}

/// A record of a journal.
package struct ImportedRecord: Sendable {
    package var bytes: [UInt8]
    package var event: RecordedEvent

    package var sequence: UInt64 { event.sequence }

    /// Throws `RecordError` if it is not a record, or has another sequence.
    package init(
        _ record: UnsafeRawBufferPointer, sequence: UInt64
    ) throws(RecordError) {
        bytes = [UInt8](record)
        event = try RecordDecoder.event(record)
        guard event.sequence == sequence else { throw .sequence(Int64(clamping: event.sequence)) }
    }
}
