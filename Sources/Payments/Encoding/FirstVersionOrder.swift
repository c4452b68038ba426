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
    private var values: OrderValueReader

    init(_ bytes: ArraySlice<UInt8>) {
        values = OrderValueReader(bytes)
    }

    mutating func order() throws(OrderDamage) -> Order {
        var order = Order()
        try values.expect(1)
        let head = try values.byte()
        let reference = head & OrderHead.reference != 0 ? try values.text() : nil
        if head & OrderHead.flags != 0 { order.markedFlags = try values.flags() }
        if head & OrderHead.expectation != 0 {
            order.expected = try values.expectation(hasExpiry: head & OrderHead.expiry != 0)
        }
        let attempts = try list { reader throws(OrderDamage) in try reader.attempt() }
        if head & OrderHead.refunds != 0 {
            order.refunds = try list { reader throws(OrderDamage) in
                let id = try reader.values.text()
                let (transaction, reports) = try reader.action(of: attempts, ActionStatus.self)
                return Refund(id: id, transaction: transaction, reports: reports)
            }
        }
        if head & OrderHead.disputes != 0 {
            order.disputes = try list { reader throws(OrderDamage) in
                let id = try reader.values.text()
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
        _ element: (inout FirstVersionReader) throws(OrderDamage) -> Element
    ) throws(OrderDamage) -> [Element] {
        var elements: [Element] = []
        for _ in 0..<(try values.number()) { elements.append(try element(&self)) }
        return elements
    }

    private mutating func attempt() throws(OrderDamage) -> Attempt {
        var attempt = Attempt(transaction: try values.text())
        let head = try values.number()
        attempt.reports = try reports(head & EntryHead.reportsMask)
        for _ in 0..<(head / EntryHead.captureUnit) {
            let id = try values.text()
            attempt.captures.join(Capture(id: id, reports: try reports(try values.number())))
        }
        return attempt
    }

    private mutating func action<Status>(
        of attempts: [Attempt], _ status: Status.Type
    ) throws(OrderDamage) -> (String?, Reports<Status>) {
        let head = try values.number()
        var transaction: String?
        if head & EntryHead.transaction != 0 {
            let place = try values.number()
            guard place < UInt64(attempts.count) else { throw OrderDamage() }
            transaction = attempts[Int(place)].transaction
        }
        return (transaction, try reports(head & EntryHead.reportsMask))
    }

    private mutating func reports<Status>(
        _ count: UInt64
    ) throws(OrderDamage) -> Reports<Status> {
        var reports = Reports<Status>()
        for _ in 0..<count {
            let head = try values.byte()
            guard let status = Status(rawValue: head & ReportHead.status) else {
                throw OrderDamage()
            }
            var report = Reports<Status>(status, nil)
            if head & ReportHead.amount != 0 {
                if head & ReportHead.currency != 0 { try values.readCurrency() }
                report = Reports(status, try values.amount())
                if head & ReportHead.moreClaims != 0 {
                    if head & ReportHead.reason != 0 { try values.readCurrency() }
                    report.join(Reports(status, try values.amount()))
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
