/// Reads the encoding of orders before references had roles (version 1).
///
/// It is in snapshots only, and these are normally passed over: the journal tells everything
/// again. Where retention has deleted the journal's beginning, such a snapshot is all that is left
/// of it. It differed from today's encoding (`Order+Codec.swift`) in this:
///
/// | | version 1 |
/// |---|---|
/// | head | no "more" |
/// | reference | one at most |
/// | transaction of a refund or dispute | the place of its attempt, counted from 0 |
/// | report | +16 a second, greater amount; +64 that one's currency follows |
/// | attempts | one without reports for each transaction that only a refund or dispute named |
struct FirstVersionReader {
    private var reader: OrderReader

    init(_ bytes: ArraySlice<UInt8>) {
        reader = OrderReader(bytes)
    }

    mutating func order() throws(OrderReader.Damage) -> Order {
        var order = Order()
        try reader.expect(1)
        let head = try reader.byte()
        let reference = head & OrderHead.reference != 0 ? try reader.text() : nil
        if head & OrderHead.flags != 0 { order.markedFlags = try reader.flags() }
        if head & OrderHead.expectation != 0 {
            order.expected = try reader.expectation(hasExpiry: head & OrderHead.expiry != 0)
        }
        let attempts = try list { reader throws(OrderReader.Damage) in try reader.attempt() }
        if head & OrderHead.refunds != 0 {
            order.refunds = try list { reader throws(OrderReader.Damage) in
                let id = try reader.reader.text()
                let (transaction, reports) = try reader.action(of: attempts, ActionStatus.self)
                return Refund(id: id, transaction: transaction, reports: reports)
            }
        }
        if head & OrderHead.disputes != 0 {
            order.disputes = try list { reader throws(OrderReader.Damage) in
                let id = try reader.reader.text()
                let (transaction, reports) = try reader.action(of: attempts, DisputeStatus.self)
                return Dispute(id: id, transaction: transaction, reports: reports)
            }
        }
        if let reference {
            // Whether a payment or only an operation came with it was not kept.
            let isPayments = order.expected != nil || attempts.contains { !$0.reports.isEmpty }
            order.references = [OrderReference(reference, isPayments ? .payment : .operation)]
        }
        for attempt in attempts {
            if !attempt.reports.isEmpty || !attempt.captures.isEmpty {
                order.attempts.join(attempt)
            } else if !order.names(attempt.transaction) {
                order.mentions.join(Order.Mention(id: attempt.transaction))
            }
        }
        return order
    }

    private mutating func list<Element>(
        _ element: (inout FirstVersionReader) throws(OrderReader.Damage) -> Element
    ) throws(OrderReader.Damage) -> [Element] {
        var elements: [Element] = []
        for _ in 0..<(try reader.number()) { elements.append(try element(&self)) }
        return elements
    }

    private mutating func attempt() throws(OrderReader.Damage) -> Attempt {
        var attempt = Attempt(transaction: try reader.text())
        let head = try reader.number()
        attempt.reports = try reports(head & EntryHead.reportsMask)
        for _ in 0..<(head / EntryHead.captureUnit) {
            let id = try reader.text()
            attempt.captures.join(Capture(id: id, reports: try reports(try reader.number())))
        }
        return attempt
    }

    private mutating func action<Status>(
        of attempts: [Attempt], _ status: Status.Type
    ) throws(OrderReader.Damage) -> (String?, Reports<Status>) {
        let head = try reader.number()
        var transaction: String?
        if head & EntryHead.transaction != 0 {
            let place = try reader.number()
            guard place < UInt64(attempts.count) else { throw OrderReader.Damage() }
            transaction = attempts[Int(place)].transaction
        }
        return (transaction, try reports(head & EntryHead.reportsMask))
    }

    private mutating func reports<Status>(
        _ count: UInt64
    ) throws(OrderReader.Damage) -> Reports<Status> {
        var reports = Reports<Status>()
        for _ in 0..<count {
            let head = try reader.byte()
            guard let status = Status(rawValue: head & ReportHead.status) else {
                throw OrderReader.Damage()
            }
            var report = Reports<Status>(status, nil)
            if head & ReportHead.amount != 0 {
                if head & ReportHead.currency != 0 { try reader.readCurrency() }
                report = Reports(status, try reader.amount())
                if head & ReportHead.moreClaims != 0 {
                    if head & ReportHead.reason != 0 { try reader.readCurrency() }
                    report.join(Reports(status, try reader.amount()))
                }
            }
            reports.join(report)
        }
        return reports
    }
}

extension Order {
    /// The order written as exactly `bytes` by version 1; nil when that is no such encoding.
    package init?(firstVersion bytes: ArraySlice<UInt8>) {
        var reader = FirstVersionReader(bytes)
        guard let order = try? reader.order() else { return nil }
        self = order
    }
}
