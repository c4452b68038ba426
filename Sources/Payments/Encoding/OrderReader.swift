/// Reads the structure of the encoding that `Order+Codec.swift` defines. ``OrderValueReader`` reads
/// the values. Every method throws ``OrderDamage`` if the bytes are invalid.
struct OrderReader {
    private var values: OrderValueReader

    init(_ bytes: ArraySlice<UInt8>) { values = OrderValueReader(bytes) }

    /// Reads an order that takes up all of the bytes.
    mutating func order() throws(OrderDamage) -> Order {
        try OrderDamage.unless(values.byte() == Order.encodingVersion)
        let head = try values.byte()
        try OrderDamage.unless(head & ~OrderHead.all == 0)
        let more = head & OrderHead.more == 0 ? 0 : try values.byte()
        try OrderDamage.unless(
            more & ~OrderMore.all == 0 && (more != 0) == (head & OrderHead.more != 0))
        var order = Order()
        order.references = try references(head, more)
        if head & OrderHead.flags != 0 { order.markedFlags = try values.flags() }
        if head & OrderHead.expectation != 0 {
            order.expected = try values.expectation(hasExpiry: head & OrderHead.expiry != 0)
        } else {
            try OrderDamage.unless(head & OrderHead.expiry == 0)
        }
        let attempts = try list(count: values.number()) { reader throws(OrderDamage) in
            try reader.attempt()
        }
        order.attempts = attempts
        if head & OrderHead.refunds != 0 {
            order.refunds = try list(count: values.positive()) { reader throws(OrderDamage) in
                let (id, transaction, reports, total) =
                    try reader.action(of: attempts, mayHaveTotal: true) as Action<ActionStatus>
                return Refund(id: id, transaction: transaction, reports: reports, total: total)
            }
        }
        if head & OrderHead.disputes != 0 {
            order.disputes = try list(count: values.positive()) { reader throws(OrderDamage) in
                let (id, transaction, reports, _) =
                    try reader.action(of: attempts) as Action<DisputeStatus>
                return Dispute(id: id, transaction: transaction, reports: reports)
            }
        }
        try readMore(more, into: &order)
        try OrderDamage.unless(values.isAtEnd)
        return order
    }

    private mutating func readMore(_ more: UInt8, into order: inout Order) throws(OrderDamage) {
        let attempts = order.attempts
        if more & OrderMore.reversals != 0 {
            order.reversals = try list(count: values.positive()) { reader throws(OrderDamage) in
                guard let kind = Reversal.Kind(rawValue: try reader.values.byte()) else {
                    throw OrderDamage()
                }
                let (id, transaction, reports, _) =
                    try reader.action(of: attempts) as Action<ActionStatus>
                return Reversal(id: id, kind: kind, transaction: transaction, reports: reports)
            }
        }
        if more & OrderMore.unclearRefunds != 0 {
            for _ in 0..<(try values.positive()) {
                order.unclearRefunds.append(try unclearRefund())
            }
            try OrderDamage.unless(order.unclearRefunds.isInOrder)
        }
        if more & OrderMore.refundedAtLeast != 0 {
            let sum = try values.money()
            try OrderDamage.unless(sum.minor >= 0)
            order.refundedAtLeast = sum
        }
        if more & OrderMore.mentions != 0 {
            order.mentions = try list(count: values.positive()) { reader throws(OrderDamage) in
                Order.Mention(id: try reader.values.text())
            }
        }
        if more & OrderMore.resolution != 0 { order.resolution = try resolution() }
    }

    /// Reads the references: a payment's single reference directly, any others as a list.
    private mutating func references(
        _ head: UInt8, _ more: UInt8
    ) throws(OrderDamage) -> [OrderReference] {
        guard more & OrderMore.references != 0 else {
            return head & OrderHead.reference == 0
                ? [] : [OrderReference(try values.text(), .payment)]
        }
        try OrderDamage.unless(head & OrderHead.reference == 0)
        let references = try list(count: values.positive()) { reader throws(OrderDamage) in
            let text = try reader.values.text()
            guard let role = OrderReference.Role(rawValue: try reader.values.byte()) else {
                throw OrderDamage()
            }
            return OrderReference(text, role)
        }
        try OrderDamage.unless(references.count > 1 || references[0].role != .payment)
        return references
    }

    private mutating func resolution() throws(OrderDamage) -> Resolution {
        let sequence = try values.number()
        let head = try values.byte()
        try OrderDamage.unless(head & ~ResolutionHead.all == 0)
        guard let status = OrderStatus(rawValue: try values.text()), status != .review else {
            throw OrderDamage()
        }
        let captured = head & ResolutionHead.captured == 0 ? nil : try values.claimed()
        let refunded = head & ResolutionHead.refunded == 0 ? nil : try values.claimed()
        var basis: [UInt8] = []
        for _ in 0..<Resolution.basisBytes { basis.append(try values.byte()) }
        var resolution = Resolution(
            sequence: sequence,
            settlement: Settlement(status: status, captured: captured, refunded: refunded),
            basis: basis, by: try values.text(), resolved: try values.time(),
            reason: try values.text())
        resolution.isOverruled = head & ResolutionHead.overruled != 0
        return resolution
    }

    private mutating func attempt() throws(OrderDamage) -> Attempt {
        var attempt = Attempt(transaction: try values.text())
        let head = try values.number()
        attempt.reports = try reports(head & EntryHead.attemptMask)
        attempt.captures = try list(count: head / EntryHead.captureUnit) {
            reader throws(OrderDamage) in try reader.capture()
        }
        if head & EntryHead.method != 0 { attempt.method = try values.text() }
        if head & EntryHead.agreement != 0 { attempt.agreement = try values.text() }
        return attempt
    }

    private mutating func capture() throws(OrderDamage) -> Capture {
        let id = try values.text()
        return Capture(id: id, reports: try reports(values.positive()))
    }

    private typealias Action<Status: RisingStatus> = (
        id: String, transaction: String?, reports: Reports<Status>, total: Money?
    )

    private mutating func action<Status>(
        of attempts: [Attempt], mayHaveTotal: Bool = false
    ) throws(OrderDamage) -> Action<Status> {
        let id = try values.text()
        var head = try values.number()
        let hasTotal = mayHaveTotal && head & EntryHead.total != 0
        if hasTotal { head -= EntryHead.total }
        let transaction = try transaction(head, of: attempts)
        let reports: Reports<Status> = try reports(head & EntryHead.reportsMask)
        return (id, transaction, reports, hasTotal ? try values.claimed() : nil)
    }

    /// Checks `head` and reads the transaction of an action.
    private mutating func transaction(
        _ head: UInt64, of attempts: [Attempt]
    ) throws(OrderDamage) -> String? {
        try OrderDamage.unless(head <= EntryHead.transaction + EntryHead.reportsMask)
        try OrderDamage.unless(head & EntryHead.reportsMask > 0)
        guard head & EntryHead.transaction != 0 else { return nil }
        let place = try values.number()
        guard place > 0 else {
            let transaction = try values.text()
            try OrderDamage.unless(attempts.index(id: transaction) == nil)
            return transaction
        }
        try OrderDamage.unless(place <= UInt64(attempts.count))
        return attempts[Int(place) - 1].transaction
    }

    private mutating func unclearRefund() throws(OrderDamage) -> UnclearRefund {
        let id = try values.text()
        let head = try values.byte()
        try OrderDamage.unless(head & ~ClaimHead.all == 0)
        guard let status = ActionStatus(rawValue: head & ClaimHead.status) else {
            throw OrderDamage()
        }
        let amount = head & ClaimHead.amount == 0 ? nil : try values.claimed()
        let refunded = head & ClaimHead.refunded == 0 ? nil : try values.claimed()
        let moment = head & ClaimHead.moment == 0 ? nil : try values.text()
        var refund = UnclearRefund(
            id: id, status: status,
            claim: RefundClaim(amount: amount, refunded: refunded, moment: moment))
        if head & ClaimHead.contradicted != 0 {
            try OrderDamage.unless(status == .succeeded)
            refund.hasFailed = true
        }
        return refund
    }

    private mutating func reports<Status>(_ count: UInt64) throws(OrderDamage) -> Reports<Status> {
        try OrderDamage.unless(count <= EntryHead.attemptMask)
        var entries: [Report<Status>] = []
        entries.reserveCapacity(Int(count))
        for _ in 0..<count {
            let head = try values.byte()
            try OrderDamage.unless(head & 0x80 == 0)
            guard let status = Status(rawValue: head & ReportHead.status) else {
                throw OrderDamage()
            }
            let amounts = try amounts(head)
            let reason = head & ReportHead.reason == 0 ? nil : try values.reason()
            entries.append(Report(status: status, amounts: amounts, reason: reason))
        }
        guard let reports = Reports(rising: entries) else { throw OrderDamage() }
        return reports
    }

    private mutating func amounts(_ head: UInt8) throws(OrderDamage) -> AmountClaims? {
        guard head & ReportHead.amount != 0 else {
            try OrderDamage.unless(head & (ReportHead.moreClaims | ReportHead.currency) == 0)
            return nil
        }
        if head & ReportHead.currency != 0 { try values.readCurrency() }
        let lowest = try values.amount()
        try OrderDamage.unless(lowest.minor >= 0)
        guard head & ReportHead.moreClaims != 0 else { return AmountClaims(lowest) }
        let count = try values.positive()
        try OrderDamage.unless(count < UInt64(AmountClaims.countMax))
        var others: [Money] = []
        for _ in 0..<count { others.append(try values.claimed()) }
        guard let claims = AmountClaims(lowest: lowest, others: others) else { throw OrderDamage() }
        return claims
    }

    /// Reads a list. No capacity is reserved, because the count may be damaged: the bytes run out
    /// first.
    private mutating func list<Element: Joinable>(
        count: UInt64, _ element: (inout OrderReader) throws(OrderDamage) -> Element
    ) throws(OrderDamage) -> [Element] {
        var elements: [Element] = []
        for _ in 0..<count { elements.append(try element(&self)) }
        try OrderDamage.unless(elements.isSortedByID)
        return elements
    }
}
