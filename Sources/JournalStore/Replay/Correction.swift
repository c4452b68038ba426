import Journal
import Payments
import Records
import Store

/// What later rules make of a recorded notification. It becomes a record of its own of the kind
/// `correction`, and from then on counts in place of what the record that it names said: that one
/// is never changed.
package struct Correction: Sendable {
    /// The record that is corrected.
    package var sequence: UInt64
    package var endpoint: String
    package var provider: String
    /// Which of the endpoint's keys verifies the request that the record keeps.
    package var key: String
    /// What the stored bytes say. In the correction's own record its kind is `correction`.
    package var notification: Notification
    package var received: Timestamp

    /// - Parameter notification: As today's rules read it, with the kind that they give it.
    package init(
        sequence: UInt64, endpoint: String, provider: String, key: String,
        notification: Notification, received: Timestamp
    ) {
        self.sequence = sequence
        self.endpoint = endpoint
        self.provider = provider
        self.key = key
        self.notification = notification
        self.notification.kind = Self.kind
        self.received = received
    }

    package static let kind = "correction"

    /// Whether a record already says what the stored bytes say: a correction keeps no kind and an
    /// event's time is for people.
    package static func isNeeded(of recorded: Notification, to read: Notification) -> Bool {
        var (recorded, read) = (recorded, read)
        if recorded.kind == kind { read.kind = kind }
        recorded.occurred = nil
        read.occurred = nil
        return recorded != read
    }
}

extension Correction {
    /// Appends corrections to a journal that no server has open, each with what its order is from
    /// now on. The number of records.
    ///
    /// Throws what `JournalWriter.open` throws: `locked` while a server runs, and `damaged` where
    /// the journal's beginning is gone, because what is corrected there cannot be taken out of the
    /// orders any more.
    package static func append(
        _ corrections: [Correction], to directory: String, options: JournalStoreOptions
    ) throws -> Int {
        let before = try RecordedOrders(directory: directory, factsMax: options.orderFactsMax)
        var changes: [UInt64: Notification] = [:]
        for correction in corrections { changes[correction.sequence] = correction.notification }
        var loader = StoreLoader(
            factsMax: options.orderFactsMax, corrections: changes)
        var journal = try loader.open(directory, PosixStorage(), options.journal)
        if !loader.latecomers.isEmpty {
            journal.close()
            loader = StoreLoader(
                factsMax: options.orderFactsMax,
                corrections: loader.latecomers.merging(changes) { $1 })
            journal = try loader.open(directory, PosixStorage(), options.journal)
        }
        defer { journal.close() }
        let after = loader.finish()
        for correction in corrections {
            if journal.isFrameFull { try journal.commit() }
            let content = correction.content(
                sequence: journal.nextSequence, before: before, after: after)
            _ = try journal.append { bytes in
                RecordEncoder.append(
                    content, correcting: correction.sequence, to: correction.notification,
                    from: correction.origin, to: &bytes)
            }
        }
        try journal.commit()
        return corrections.count
    }

    private var origin: RecordOrigin {
        RecordOrigin(received: received, endpoint: endpoint, provider: provider, key: key)
    }

    /// What the record says of the order, which has the correction already.
    private func content(
        sequence: UInt64, before: RecordedOrders, after: borrowing StoreTables
    ) -> RecordContent {
        var content = RecordContent(
            sequence: sequence, outcome: notification.effect == .none ? .ignored : .recorded,
            conflictsWith: nil, flags: notification.flags, order: nil)
        var found: Order?
        var old: Order?
        for key in keys {
            found = found ?? after.order(key)?.order
            old = old ?? before.orders([key])[0]?.order
        }
        guard notification.effect != .none, let order = found else { return content }
        let summary = order.summary
        var flags = FlagSet(summary.flags)
        flags.formUnion(FlagSet(notification.flags))
        content.flags = flags.list
        var absorbed: [String] = []
        if let old = old?.reference, !order.isNamed(old) { absorbed.append(old) }
        content.order = OrderChange(
            reference: order.reference,
            transaction: order.reference == nil ? order.leastID : notification.transaction,
            previous: old?.status, summary: summary, absorbed: absorbed)
        return content
    }

    /// Where to look for the order.
    private var keys: [OrderKey] {
        [
            notification.reference.map { OrderKey.reference(endpoint: endpoint, $0) },
            notification.transaction.map { .id(endpoint: endpoint, $0) },
            notification.effect.id.map { .id(endpoint: endpoint, $0) },
            notification.alias.map { .reference(endpoint: endpoint, $0) },
        ].compactMap(\.self)
    }
}
