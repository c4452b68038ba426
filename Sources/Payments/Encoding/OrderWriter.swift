import Bytes

/// Writes the encoding that `Order+Codec.swift` defines.
struct OrderWriter {
    var bytes: [UInt8]
    /// The last currency written, which the next amount does not repeat.
    private var currency: Currency?

    init(bytes: consuming [UInt8]) {
        self.bytes = bytes
    }

    mutating func write(_ order: Order) {
        bytes.append(Order.encodingVersion)
        let more = more(of: order)
        bytes.append(head(of: order) | (more == 0 ? 0 : OrderHead.more))
        if more != 0 { bytes.append(more) }
        if let reference = order.plainReference {
            write(reference)
        } else if !order.references.isEmpty {
            write(UInt64(order.references.count))
            for reference in order.references {
                write(reference.text)
                bytes.append(reference.role.rawValue)
            }
        }
        if !order.markedFlags.isEmpty { write(UInt64(order.markedFlags.bits)) }
        if let expected = order.expected {
            write(expected.amount.currency)
            write(UInt64(bitPattern: expected.amount.minor))
            if let expires = expected.expires { write(zigzag(expires.microseconds)) }
        }
        write(UInt64(order.attempts.count))
        // In place: a loop over the array copies each.
        let attempts = order.attempts.span
        for index in attempts.indices { write(attempts[index]) }
        if order.hasRareFacts { writeRareFacts(of: order) }
    }

    private mutating func writeRareFacts(of order: Order) {
        writeList(order.refunds) { writer, refund in
            writer.write(
                refund.id, refund.reports, transaction: refund.transaction, total: refund.total,
                in: order)
        }
        writeList(order.disputes) { writer, dispute in
            writer.write(dispute.id, dispute.reports, transaction: dispute.transaction, in: order)
        }
        writeList(order.reversals) { writer, reversal in
            writer.bytes.append(reversal.kind.rawValue)
            writer.write(
                reversal.id, reversal.reports, transaction: reversal.transaction, in: order)
        }
        writeList(order.unclearRefunds) { writer, refund in writer.write(refund) }
        if let sum = order.refundedAtLeast { writeWhole(sum) }
        writeList(order.mentions) { writer, mention in writer.write(mention.id) }
        if let resolution = order.resolution { write(resolution) }
    }

    private func head(of order: Order) -> UInt8 {
        var head: UInt8 = 0
        if order.plainReference != nil { head |= OrderHead.reference }
        if !order.markedFlags.isEmpty { head |= OrderHead.flags }
        if order.expected != nil { head |= OrderHead.expectation }
        if order.expected?.expires != nil { head |= OrderHead.expiry }
        if !order.hasRareFacts { return head }
        if !order.refunds.isEmpty { head |= OrderHead.refunds }
        if !order.disputes.isEmpty { head |= OrderHead.disputes }
        return head
    }

    private func more(of order: Order) -> UInt8 {
        var more: UInt8 = 0
        if !order.references.isEmpty && order.plainReference == nil {
            more |= OrderMore.references
        }
        if !order.hasRareFacts { return more }
        if !order.reversals.isEmpty { more |= OrderMore.reversals }
        if !order.unclearRefunds.isEmpty { more |= OrderMore.unclearRefunds }
        if order.refundedAtLeast != nil { more |= OrderMore.refundedAtLeast }
        if !order.mentions.isEmpty { more |= OrderMore.mentions }
        if order.resolution != nil { more |= OrderMore.resolution }
        return more
    }

    private mutating func writeList<Element>(
        _ elements: [Element], _ write: (inout OrderWriter, Element) -> Void
    ) {
        if elements.isEmpty { return }
        self.write(UInt64(elements.count))
        for element in elements { write(&self, element) }
    }

    private mutating func write(_ attempt: Attempt) {
        write(attempt.transaction)
        let captures = UInt64(attempt.captures.count)
        var head = captures * EntryHead.captureUnit + UInt64(attempt.reports.entries.count)
        if attempt.method != nil { head |= EntryHead.method }
        if attempt.agreement != nil { head |= EntryHead.agreement }
        write(head)
        write(attempt.reports)
        for capture in attempt.captures {
            write(capture.id)
            write(UInt64(capture.reports.entries.count))
            write(capture.reports)
        }
        if let method = attempt.method { write(method) }
        if let agreement = attempt.agreement { write(agreement) }
    }

    private mutating func write<Status>(
        _ id: String, _ reports: Reports<Status>, transaction: String?, total: Money? = nil,
        in order: Order
    ) {
        write(id)
        var head = UInt64(reports.entries.count)
        if transaction != nil { head |= EntryHead.transaction }
        if total != nil { head |= EntryHead.total }
        write(head)
        if let transaction {
            if let place = order.attempts.index(id: transaction) {
                write(UInt64(place) + 1)
            } else {
                write(UInt64(0))
                write(transaction)
            }
        }
        write(reports)
        if let total { writeWhole(total) }
    }

    private mutating func write(_ refund: UnclearRefund) {
        write(refund.id)
        var head = refund.status.rawValue
        if refund.claim.amount != nil { head |= ClaimHead.amount }
        if refund.claim.refunded != nil { head |= ClaimHead.refunded }
        if refund.claim.moment != nil { head |= ClaimHead.moment }
        if refund.isContradicted { head |= ClaimHead.contradicted }
        bytes.append(head)
        if let amount = refund.claim.amount { writeWhole(amount) }
        if let refunded = refund.claim.refunded { writeWhole(refunded) }
        if let moment = refund.claim.moment { write(moment) }
    }

    private mutating func write(_ resolution: Resolution) {
        write(resolution.sequence)
        let settlement = resolution.settlement
        var head: UInt8 = 0
        if settlement.captured != nil { head |= ResolutionHead.captured }
        if settlement.refunded != nil { head |= ResolutionHead.refunded }
        if resolution.isOverruled { head |= ResolutionHead.overruled }
        bytes.append(head)
        write(settlement.status.rawValue)
        if let captured = settlement.captured { writeWhole(captured) }
        if let refunded = settlement.refunded { writeWhole(refunded) }
        bytes += resolution.basis
        write(resolution.by)
        write(zigzag(resolution.resolved.microseconds))
        write(resolution.reason)
    }

    private mutating func write<Status>(_ reports: Reports<Status>) {
        for report in reports.entries {
            let place = bytes.endIndex
            bytes.append(report.status.rawValue)
            if let amounts = report.amounts {
                bytes[place] |= ReportHead.amount
                if write(amounts.lowest) { bytes[place] |= ReportHead.currency }
                if !amounts.isOneAmount {
                    bytes[place] |= ReportHead.moreClaims
                    write(UInt64(amounts.others.count))
                    for claim in amounts.others { writeWhole(claim) }
                }
            }
            if let reason = report.reason {
                bytes[place] |= ReportHead.reason
                write(reason.code)
                write(reason.message)
            }
        }
    }

    /// Writes an amount and returns whether its currency had to be written.
    private mutating func write(_ amount: Money) -> Bool {
        let isNewCurrency = currency != amount.currency
        if isNewCurrency { write(amount.currency) }
        write(UInt64(bitPattern: amount.minor))
        return isNewCurrency
    }

    private mutating func write(_ currency: Currency) {
        writePlain(currency)
        self.currency = currency
    }

    /// Writes currency and minor units, independently of the last currency written.
    private mutating func writeWhole(_ amount: Money) {
        writePlain(amount.currency)
        write(UInt64(bitPattern: amount.minor))
    }

    private mutating func writePlain(_ currency: Currency) {
        bytes.append(UInt8(truncatingIfNeeded: currency.index >> 8))
        bytes.append(UInt8(truncatingIfNeeded: currency.index))
    }

    private mutating func write(_ text: String) {
        write(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func write(_ number: UInt64) { LEB128.append(number, to: &bytes) }
}

/// Zigzag encoding: 0, -1, 1, -2 become 0, 1, 2, 3, so that small negative numbers stay small.
private func zigzag(_ number: Int64) -> UInt64 {
    UInt64(bitPattern: (number << 1) ^ (number >> 63))
}

extension Order {
    /// The reference if it is the only one and a payment's, as nearly always.
    fileprivate var plainReference: String? {
        references.count == 1 && references[0].role == .payment ? references[0].text : nil
    }
}
