/// Writes the encoding that `Order+Codec.swift` defines.
struct OrderWriter {
    var bytes: [UInt8]
    /// The currency written last, which the next amount need not repeat.
    private var currency: Currency?

    init(bytes: consuming [UInt8]) {
        self.bytes = bytes
    }

    mutating func write(_ order: Order) {
        bytes.append(Order.encodingVersion)
        bytes.append(head(of: order))
        if let reference = order.reference { write(reference) }
        if !order.markedFlags.isEmpty { write(UInt64(order.markedFlags.bits)) }
        if let expected = order.expected {
            write(expected.amount.currency)
            write(UInt64(bitPattern: expected.amount.minor))
            if let expires = expected.expires { write(zigzag(expires.microseconds)) }
        }
        write(UInt64(order.attempts.count))
        for attempt in order.attempts { write(attempt) }
        if !order.refunds.isEmpty {
            write(UInt64(order.refunds.count))
            for refund in order.refunds {
                write(
                    id: refund.id, reports: refund.reports,
                    attempt: place(of: refund.transaction, in: order))
            }
        }
        if !order.disputes.isEmpty {
            write(UInt64(order.disputes.count))
            for dispute in order.disputes {
                write(
                    id: dispute.id, reports: dispute.reports,
                    attempt: place(of: dispute.transaction, in: order))
            }
        }
    }

    private func head(of order: Order) -> UInt8 {
        var head: UInt8 = 0
        if order.reference != nil { head |= OrderHead.reference }
        if !order.markedFlags.isEmpty { head |= OrderHead.flags }
        if order.expected != nil { head |= OrderHead.expectation }
        if order.expected?.expires != nil { head |= OrderHead.expiry }
        if !order.refunds.isEmpty { head |= OrderHead.refunds }
        if !order.disputes.isEmpty { head |= OrderHead.disputes }
        return head
    }

    /// Where the attempt stands that a refund or dispute names.
    private func place(of transaction: String?, in order: Order) -> UInt64? {
        guard let transaction else { return nil }
        let place = order.attempts.index(id: transaction)
        // `Order.apply` adds the attempt together with the refund or dispute, and nothing takes it
        // away.
        precondition(place != nil, "a refund or dispute names a transaction that has no attempt")
        return place.map(UInt64.init)
    }

    private mutating func write(_ attempt: Attempt) {
        write(attempt.transaction)
        let captures = UInt64(attempt.captures.count)
        write(captures * EntryHead.captureUnit + UInt64(attempt.reports.entries.count))
        write(attempt.reports)
        for capture in attempt.captures {
            write(id: capture.id, reports: capture.reports, attempt: nil)
        }
    }

    private mutating func write<Status>(id: String, reports: Reports<Status>, attempt: UInt64?) {
        write(id)
        let count = UInt64(reports.entries.count)
        write(attempt == nil ? count : count + EntryHead.transaction)
        if let attempt { write(attempt) }
        write(reports)
    }

    private mutating func write<Status>(_ reports: Reports<Status>) {
        for report in reports.entries {
            let place = bytes.endIndex
            bytes.append(report.status.rawValue)
            guard let amounts = report.amounts else { continue }
            bytes[place] |= ReportHead.amount
            if write(amounts.lowest) { bytes[place] |= ReportHead.currency }
            if amounts.isOneAmount { continue }
            bytes[place] |= ReportHead.secondAmount
            if write(amounts.highest) { bytes[place] |= ReportHead.secondCurrency }
        }
    }

    /// True when the currency had to be written.
    private mutating func write(_ amount: Money) -> Bool {
        let isNewCurrency = currency != amount.currency
        if isNewCurrency { write(amount.currency) }
        write(UInt64(bitPattern: amount.minor))
        return isNewCurrency
    }

    private mutating func write(_ currency: Currency) {
        bytes.append(UInt8(truncatingIfNeeded: currency.index >> 8))
        bytes.append(UInt8(truncatingIfNeeded: currency.index))
        self.currency = currency
    }

    private mutating func write(_ text: String) {
        write(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func write(_ number: UInt64) {
        var rest = number
        while rest > 0x7f {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}

/// Small numbers of either sign as small numbers: 0, -1, 1, -2 become 0, 1, 2, 3.
private func zigzag(_ number: Int64) -> UInt64 {
    UInt64(bitPattern: (number << 1) ^ (number >> 63))
}
