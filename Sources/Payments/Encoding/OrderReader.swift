import Bytes

/// Reads the encoding that `Order+Codec.swift` defines.
///
/// Every method throws at damage: at an early end, at a value out of range, and at any form that
/// `OrderWriter` would not have written.
struct OrderReader {
    struct Damage: Error {}

    private let bytes: ArraySlice<UInt8>
    private var position: Int
    /// The currency read last, which an amount without one is in.
    private var currency: Currency?

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Reads an order that fills all of the bytes.
    mutating func order() throws(Damage) -> Order {
        try check(byte() == Order.encodingVersion)
        let head = try byte()
        try check(head & ~OrderHead.all == 0)
        let more = head & OrderHead.more == 0 ? 0 : try byte()
        try check(more & ~OrderMore.all == 0 && (more != 0) == (head & OrderHead.more != 0))
        var order = Order()
        order.references = try references(head, more)
        if head & OrderHead.flags != 0 { order.markedFlags = try flags() }
        if head & OrderHead.expectation != 0 {
            order.expected = try expectation(hasExpiry: head & OrderHead.expiry != 0)
        } else {
            try check(head & OrderHead.expiry == 0)
        }
        let attempts = try list(count: number()) { reader throws(Damage) in try reader.attempt() }
        order.attempts = attempts
        if head & OrderHead.refunds != 0 {
            order.refunds = try list(count: positive()) { reader throws(Damage) in
                let (id, transaction, reports) =
                    try reader.action(of: attempts) as Action<ActionStatus>
                return Refund(id: id, transaction: transaction, reports: reports)
            }
        }
        if head & OrderHead.disputes != 0 {
            order.disputes = try list(count: positive()) { reader throws(Damage) in
                let (id, transaction, reports) =
                    try reader.action(of: attempts) as Action<DisputeStatus>
                return Dispute(id: id, transaction: transaction, reports: reports)
            }
        }
        try readMore(more, into: &order)
        try check(position == bytes.endIndex)
        return order
    }

    private mutating func readMore(_ more: UInt8, into order: inout Order) throws(Damage) {
        let attempts = order.attempts
        if more & OrderMore.reversals != 0 {
            order.reversals = try list(count: positive()) { reader throws(Damage) in
                guard let kind = Reversal.Kind(rawValue: try reader.byte()) else { throw Damage() }
                let (id, transaction, reports) =
                    try reader.action(of: attempts) as Action<ActionStatus>
                return Reversal(id: id, kind: kind, transaction: transaction, reports: reports)
            }
        }
        if more & OrderMore.unclearRefunds != 0 {
            for _ in 0..<(try positive()) { order.unclearRefunds.append(try unclearRefund()) }
            try check(order.unclearRefunds.isInOrder)
        }
        if more & OrderMore.refundedAtLeast != 0 {
            let sum = try money()
            try check(sum.minor >= 0)
            order.refundedAtLeast = sum
        }
        if more & OrderMore.mentions != 0 {
            order.mentions = try list(count: positive()) { reader throws(Damage) in
                Order.Mention(id: try reader.text())
            }
        }
        if more & OrderMore.resolution != 0 { order.resolution = try resolution() }
    }

    /// A single reference of a payment is alone; any others stand in a list.
    private mutating func references(
        _ head: UInt8, _ more: UInt8
    ) throws(Damage) -> [OrderReference] {
        guard more & OrderMore.references != 0 else {
            return head & OrderHead.reference == 0 ? [] : [OrderReference(try text(), .payment)]
        }
        try check(head & OrderHead.reference == 0)
        let references = try list(count: positive()) { reader throws(Damage) in
            let text = try reader.text()
            guard let role = OrderReference.Role(rawValue: try reader.byte()) else {
                throw Damage()
            }
            return OrderReference(text, role)
        }
        try check(references.count > 1 || references[0].role != .payment)
        return references
    }

    mutating func flags() throws(Damage) -> FlagSet {
        let bits = try positive()
        guard let bits = UInt32(exactly: bits), let flags = FlagSet(bits: bits) else {
            throw Damage()
        }
        return flags
    }

    mutating func expectation(hasExpiry: Bool) throws(Damage) -> Expectation {
        try readCurrency()
        let amount = try amount()
        guard hasExpiry else { return Expectation(amount: amount) }
        return Expectation(amount: amount, expires: try time())
    }

    private mutating func time() throws(Damage) -> Timestamp {
        let number = try number()
        guard
            let time = Timestamp(
                exactMicroseconds: Int64(bitPattern: number >> 1) ^ -Int64(number & 1))
        else { throw Damage() }
        return time
    }

    private mutating func resolution() throws(Damage) -> Resolution {
        let sequence = try number()
        let head = try byte()
        try check(head & ~ResolutionHead.all == 0)
        guard let status = OrderStatus(rawValue: try text()), status != .review else {
            throw Damage()
        }
        let captured = head & ResolutionHead.captured == 0 ? nil : try claimed()
        let refunded = head & ResolutionHead.refunded == 0 ? nil : try claimed()
        var basis: [UInt8] = []
        for _ in 0..<Resolution.basisBytes { basis.append(try byte()) }
        var resolution = Resolution(
            sequence: sequence,
            settlement: Settlement(status: status, captured: captured, refunded: refunded),
            basis: basis, by: try text(), resolved: try time(), reason: try text())
        resolution.isOverruled = head & ResolutionHead.overruled != 0
        return resolution
    }

    private mutating func attempt() throws(Damage) -> Attempt {
        var attempt = Attempt(transaction: try text())
        let head = try number()
        attempt.reports = try reports(head & EntryHead.reportsMask)
        attempt.captures = try list(count: head / EntryHead.captureUnit) {
            reader throws(Damage) in try reader.capture()
        }
        return attempt
    }

    private mutating func capture() throws(Damage) -> Capture {
        let id = try text()
        return Capture(id: id, reports: try reports(positive()))
    }

    private typealias Action<Status: RisingStatus> = (
        id: String, transaction: String?, reports: Reports<Status>
    )

    private mutating func action<Status>(
        of attempts: [Attempt]
    ) throws(Damage) -> Action<Status> {
        let id = try text()
        let head = try number()
        let transaction = try transaction(head, of: attempts)
        return (id, transaction, try reports(head & EntryHead.reportsMask))
    }

    /// The transaction of an action, after the checks of its `head`.
    private mutating func transaction(
        _ head: UInt64, of attempts: [Attempt]
    ) throws(Damage) -> String? {
        try check(head <= EntryHead.transaction + EntryHead.reportsMask)
        try check(head & EntryHead.reportsMask > 0)
        guard head & EntryHead.transaction != 0 else { return nil }
        let place = try number()
        guard place > 0 else {
            let transaction = try text()
            try check(attempts.index(id: transaction) == nil)
            return transaction
        }
        try check(place <= UInt64(attempts.count))
        return attempts[Int(place) - 1].transaction
    }

    private mutating func unclearRefund() throws(Damage) -> UnclearRefund {
        let id = try text()
        let head = try byte()
        try check(head & ~ClaimHead.all == 0)
        guard let status = ActionStatus(rawValue: head & ClaimHead.status) else { throw Damage() }
        let amount = head & ClaimHead.amount == 0 ? nil : try claimed()
        let refunded = head & ClaimHead.refunded == 0 ? nil : try claimed()
        let moment = head & ClaimHead.moment == 0 ? nil : try text()
        var refund = UnclearRefund(
            id: id, status: status,
            claim: RefundClaim(amount: amount, refunded: refunded, moment: moment))
        if head & ClaimHead.contradicted != 0 {
            try check(status == .succeeded)
            refund.hasFailed = true
        }
        return refund
    }

    private mutating func claimed() throws(Damage) -> Money {
        let money = try money()
        try check(money.minor >= 0)
        return money
    }

    /// As `OrderWriter.writeWhole` writes it.
    private mutating func money() throws(Damage) -> Money {
        let high = try byte()
        let low = try byte()
        guard let currency = Currency(index: UInt16(high) << 8 | UInt16(low)) else {
            throw Damage()
        }
        return Money(minor: Int64(bitPattern: try number()), currency: currency)
    }

    private mutating func reports<Status>(_ count: UInt64) throws(Damage) -> Reports<Status> {
        try check(count <= EntryHead.reportsMask)
        var entries: [Report<Status>] = []
        entries.reserveCapacity(Int(count))
        for _ in 0..<count {
            let head = try byte()
            try check(head & 0x80 == 0)
            guard let status = Status(rawValue: head & ReportHead.status) else { throw Damage() }
            let amounts = try amounts(head)
            let reason = head & ReportHead.reason == 0 ? nil : try reason()
            entries.append(Report(status: status, amounts: amounts, reason: reason))
        }
        guard let reports = Reports(rising: entries) else { throw Damage() }
        return reports
    }

    private mutating func amounts(_ head: UInt8) throws(Damage) -> AmountClaims? {
        guard head & ReportHead.amount != 0 else {
            try check(head & (ReportHead.moreClaims | ReportHead.currency) == 0)
            return nil
        }
        if head & ReportHead.currency != 0 { try readCurrency() }
        let lowest = try amount()
        try check(lowest.minor >= 0)
        guard head & ReportHead.moreClaims != 0 else { return AmountClaims(lowest) }
        let count = try positive()
        try check(count < UInt64(AmountClaims.countMax))
        var others: [Money] = []
        for _ in 0..<count { others.append(try claimed()) }
        guard let claims = AmountClaims(lowest: lowest, others: others) else { throw Damage() }
        return claims
    }

    private mutating func reason() throws(Damage) -> Reason {
        let code = try text()
        let message = try text()
        guard let reason = Reason(code: code, message: message), reason.code == code,
            reason.message == message
        else { throw Damage() }
        return reason
    }

    mutating func amount() throws(Damage) -> Money {
        guard let currency else { throw Damage() }
        return Money(minor: Int64(bitPattern: try number()), currency: currency)
    }

    /// A currency is damage when it is the one before, which is never repeated.
    mutating func readCurrency() throws(Damage) {
        let high = try byte()
        let low = try byte()
        let next = Currency(index: UInt16(high) << 8 | UInt16(low))
        try check(next != nil && next != currency)
        currency = next
    }

    /// Room is not reserved by a count that may be damage: the bytes run out first.
    private mutating func list<Element: Joinable>(
        count: UInt64, _ element: (inout OrderReader) throws(Damage) -> Element
    ) throws(Damage) -> [Element] {
        var elements: [Element] = []
        for _ in 0..<count { elements.append(try element(&self)) }
        try check(elements.isSortedByID)
        return elements
    }

    mutating func text() throws(Damage) -> String {
        let count = try number()
        try check(count <= UInt64(bytes.endIndex - position))
        let end = position + Int(count)
        defer { position = end }
        do {
            // A whole order is read a fifth quicker so than by `String(validating:as:)`.
            return String(copying: try UTF8Span(validating: bytes[position..<end].span))
        } catch {
            throw Damage()
        }
    }

    private mutating func positive() throws(Damage) -> UInt64 {
        let number = try number()
        try check(number > 0)
        return number
    }

    mutating func number() throws(Damage) -> UInt64 {
        guard let number = LEB128.read(bytes, at: &position) else { throw Damage() }
        return number
    }

    mutating func byte() throws(Damage) -> UInt8 {
        try check(position < bytes.endIndex)
        defer { position += 1 }
        return bytes[position]
    }

    /// Passes over `byte`, or throws when another one is there.
    mutating func expect(_ expected: UInt8) throws(Damage) {
        let found = try byte()
        try check(found == expected)
    }

    private func check(_ condition: Bool) throws(Damage) {
        if !condition { throw Damage() }
    }
}
