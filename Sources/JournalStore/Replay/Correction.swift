import Journal
import Payments
import Records
import Store

/// A recorded notification as later rules read it. It becomes a record of the kind `correction`,
/// and from then on counts in place of the notification in the corrected record, which is never
/// changed.
package struct Correction: Sendable {
    /// The record that is corrected.
    package var sequence: UInt64
    package var endpoint: String
    package var provider: String
    /// Which of the endpoint's keys verifies the request that the record keeps.
    package var key: String
    /// The notification as read by today's rules, with the kind `correction`.
    package var notification: Notification
    package var received: Timestamp

    /// - Parameter notification: As read by today's rules, with the kind that they give it.
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

    /// Whether the notification of a record differs from what today's rules read. The kind of a
    /// correction and the time of an event are not compared.
    package static func isNeeded(of recorded: Notification, to read: Notification) -> Bool {
        var (recorded, read) = (recorded, read)
        if recorded.kind == kind { read.kind = kind }
        recorded.occurred = nil
        read.occurred = nil
        return recorded != read
    }
}

extension Correction {
    /// Appends corrections to a journal that no server has open, each with its order from now on.
    /// Returns the number of records.
    ///
    /// Throws what `JournalWriter.open` throws: `locked` while a server runs, and `damaged` where
    /// the journal's beginning is gone, because facts from there cannot be removed from the orders.
    package static func append(
        _ corrections: [Correction], to directory: String, options: JournalStoreOptions
    ) throws -> Int {
        let before = try RecordedOrders(directory: directory, factsMax: options.orderFactsMax)
        var changes: [UInt64: Notification] = [:]
        for correction in corrections { changes[correction.sequence] = correction.notification }
        var loader = StoreLoader(
            factsMax: options.orderFactsMax, corrections: changes)
        var journal = try loader.open(directory, PosixStorage(), options.journal)
        if !loader.lateCorrections.isEmpty {
            journal.close()
            loader = StoreLoader(
                factsMax: options.orderFactsMax,
                corrections: loader.lateCorrections.merging(changes) { $1 })
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

    /// Returns the content of the record. `after` has the correction already.
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
        if let old = old?.reference, !order.reference.isExactly(old) { absorbed.append(old) }
        content.order = OrderChange(
            reference: order.reference,
            transaction: order.reference == nil ? order.leastID : notification.transaction,
            previous: old?.status, summary: summary, absorbed: absorbed)
        return content
    }

    /// The keys that may lead to the order.
    private var keys: [OrderKey] {
        [
            notification.reference.map { OrderKey.reference(endpoint: endpoint, $0) },
            notification.transaction.map { .id(endpoint: endpoint, $0) },
            notification.effect.id.map { .id(endpoint: endpoint, $0) },
            notification.alias.map { .reference(endpoint: endpoint, $0) },
        ].compactMap(\.self)
    }
}
