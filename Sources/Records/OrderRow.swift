import Payments

/// The order as it is after one record: a row for lists of orders.
///
/// The committer makes it from what it records; an index that reads the journal makes the same from
/// the record.
package struct OrderRow: Sendable, Equatable {
    package var sequence: UInt64
    package var received: Timestamp
    package var endpoint: String
    package var reference: String?
    package var transaction: String?
    /// The status as text: a later program may have recorded one that this one does not have.
    package var status: String
    package var amount: Money?
    package var refunded: Money?
    package var authorized: Money?
    package var captured: Money?
    package var reason: Reason?
    package var method: String?
    package var agreement: String?
    /// The flags with a comma before and after each, so that one is found by its text; empty when
    /// there is none.
    package var flags: String
    /// Another reference that leads to the order.
    package var alias: String?
    /// References and ids of orders that are part of this one from now on.
    package var absorbed: [String]
    package var absorbedIDs: [String]
    /// Other orders that have changed with this one.
    package var touched: [OrderChange.Touched]
    /// The expectation that the record registers.
    package var registered: RegisteredExpectation?

    /// Bytes in memory, estimated from its texts.
    package var byteCount: Int {
        let texts = [reference, transaction, method, agreement, alias, reason?.message]
        return texts.reduce(MemoryLayout<Self>.stride) { $0 + ($1?.utf8.count ?? 0) }
            + (registered?.metadata.count ?? 0)
            + (absorbed + absorbedIDs).reduce(0) { $0 + 32 + $1.utf8.count }
            + touched.count * 96
    }
}

extension OrderRow {
    /// The row of a record that is being written; nil when it is about no order.
    ///
    /// - Parameters:
    ///   - named: The reference that the event names.
    ///   - alias: The alias that it names.
    package init?(
        _ content: RecordContent, endpoint: String, received: Timestamp, named: String?,
        alias: String? = nil, registered: RegisteredExpectation? = nil
    ) {
        guard let order = content.order, order.reference != nil || order.transaction != nil else {
            return nil
        }
        let summary = order.summary
        self.init(
            sequence: content.sequence, received: received, endpoint: endpoint,
            reference: order.reference, transaction: order.transaction,
            status: summary.status.rawValue, amount: summary.amount, refunded: summary.refunded,
            authorized: summary.authorized, captured: summary.captured, reason: summary.reason,
            method: summary.method, agreement: summary.agreement,
            flags: Self.flags(content.flags.lazy.map(\.rawValue)),
            alias: Self.alias(alias, named: named, of: order.reference),
            absorbed: order.absorbed, absorbedIDs: order.absorbedIDs, touched: order.touched,
            registered: registered)
    }

    /// The row of a stored record; nil when it is about no order. Throws when a member is invalid.
    ///
    /// - Parameter reader: Has read `RecordReader.Parts.event` and `.order`.
    package init?(_ reader: borrowing RecordReader) throws(RecordError) {
        guard let order = reader.order, order.reference != nil || order.transaction != nil,
            let event = reader.event
        else { return nil }
        sequence = reader.sequence.map { UInt64(clamping: $0) } ?? 0
        received = reader.received.flatMap { reader.moment($0) } ?? Timestamp(microseconds: 0)
        endpoint = reader.string(reader.endpoint) ?? ""
        reference = reader.string(order.reference)
        transaction = reader.string(order.transaction)
        status = reader.string(order.status) ?? ""
        amount = try reader.money(order.amount, "order.amount")
        refunded = try reader.money(order.refunded, "order.refunded")
        authorized = try reader.money(order.authorized, "order.authorized")
        captured = try reader.money(order.captured, "order.captured")
        reason = reader.reason(order.reason)
        method = reader.string(order.method)
        agreement = reader.string(order.agreement)
        flags = Self.flags(reader.flags.map { reader.string($0) })
        alias = Self.alias(
            reader.string(event.alias), named: reader.string(event.reference),
            of: reference)
        absorbed = order.absorbed.map { reader.string($0) }
        absorbedIDs = order.absorbedIDs.map { reader.string($0) }
        touched = order.touched.map { touched in
            OrderChange.Touched(
                reference: reader.string(touched.reference),
                id: reader.string(touched.id),
                first: touched.first.flatMap { UInt64(exactly: $0) })
        }
        registered = event.registered
    }

    private static func flags(_ flags: some Sequence<String>) -> String {
        var text = ""
        for flag in flags {
            text += text.isEmpty ? "," : ""
            text += "\(flag),"
        }
        return text
    }

    /// An event that names another reference than the order's own has an alias.
    private static func alias(
        _ alias: String?, named: String?, of reference: String?
    ) -> String? {
        if let alias { return alias }
        guard let named, !reference.isExactly(named) else { return nil }
        return named
    }
}

/// Rows of records that follow each other. Records about no order have none, and count.
package struct OrderRows: Sendable {
    /// The sequence of the first record; undefined while there is none.
    package private(set) var first: UInt64 = 0
    package private(set) var count = 0
    package private(set) var rows: [OrderRow] = []
    /// The head of the last record. An index keeps its digest, to recognise its journal again.
    package private(set) var lastHead: [UInt8] = []
    /// Bytes in memory, estimated.
    package private(set) var byteCount = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }
    /// The sequence after the last.
    package var end: UInt64 { first + UInt64(count) }

    /// Adds the record `sequence`. Where it does not follow the last, those before it are
    /// forgotten.
    package mutating func append(_ sequence: UInt64, _ row: consuming OrderRow?) {
        begin(at: sequence)
        count += 1
        guard let row = consume row else { return }
        byteCount += row.byteCount
        rows.append(row)
    }

    /// Adds all of `others`, under the same rule.
    package mutating func append(_ others: OrderRows) {
        begin(at: others.first)
        rows += others.rows
        count += others.count
        byteCount += others.byteCount
        lastHead = others.lastHead
    }

    /// Notes the head of the record that was added last: `beginning` and a closing brace.
    package mutating func note(lastHead beginning: ArraySlice<UInt8>) {
        lastHead.removeAll(keepingCapacity: true)
        lastHead.append(contentsOf: beginning)
        lastHead.append(UInt8(ascii: "}"))
    }

    /// Removes all rows and keeps the memory for the next ones.
    package mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        count = 0
        byteCount = 0
    }

    private mutating func begin(at sequence: UInt64) {
        if !isEmpty && end == sequence { return }
        removeAll()
        first = sequence
    }
}
