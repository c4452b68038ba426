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
        var order = Order()
        if head & OrderHead.reference != 0 { order.reference = try text() }
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
                try reader.refund(of: attempts)
            }
        }
        if head & OrderHead.disputes != 0 {
            order.disputes = try list(count: positive()) { reader throws(Damage) in
                try reader.dispute(of: attempts)
            }
        }
        try check(position == bytes.endIndex)
        return order
    }

    private mutating func flags() throws(Damage) -> FlagSet {
        let bits = try positive()
        guard let bits = UInt32(exactly: bits), let flags = FlagSet(bits: bits) else {
            throw Damage()
        }
        return flags
    }

    private mutating func expectation(hasExpiry: Bool) throws(Damage) -> Expectation {
        try readCurrency()
        let amount = try amount()
        guard hasExpiry else { return Expectation(amount: amount) }
        let number = try number()
        guard
            let expires = Timestamp(
                exactMicroseconds: Int64(bitPattern: number >> 1) ^ -Int64(number & 1))
        else { throw Damage() }
        return Expectation(amount: amount, expires: expires)
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

    private mutating func refund(of attempts: [Attempt]) throws(Damage) -> Refund {
        let id = try text()
        let head = try number()
        let transaction = try transaction(head, of: attempts)
        return Refund(
            id: id, transaction: transaction, reports: try reports(head & EntryHead.reportsMask))
    }

    private mutating func dispute(of attempts: [Attempt]) throws(Damage) -> Dispute {
        let id = try text()
        let head = try number()
        let transaction = try transaction(head, of: attempts)
        return Dispute(
            id: id, transaction: transaction, reports: try reports(head & EntryHead.reportsMask))
    }

    /// The transaction of a refund or dispute, after the checks of its `head`.
    private mutating func transaction(
        _ head: UInt64, of attempts: [Attempt]
    ) throws(Damage) -> String? {
        try check(head <= EntryHead.transaction + EntryHead.reportsMask)
        try check(head & EntryHead.reportsMask > 0)
        guard head & EntryHead.transaction != 0 else { return nil }
        let place = try number()
        try check(place < UInt64(attempts.count))
        return attempts[Int(place)].transaction
    }

    private mutating func reports<Status>(_ count: UInt64) throws(Damage) -> Reports<Status> {
        try check(count <= EntryHead.reportsMask)
        var entries: [Report<Status>] = []
        entries.reserveCapacity(Int(count))
        for _ in 0..<count {
            let head = try byte()
            try check(head & 0x80 == 0)
            guard let status = Status(rawValue: head & ReportHead.status) else { throw Damage() }
            entries.append(Report(status: status, amounts: try amounts(head)))
        }
        guard let reports = Reports(rising: entries) else { throw Damage() }
        return reports
    }

    private mutating func amounts(_ head: UInt8) throws(Damage) -> AmountRange? {
        guard head & ReportHead.amount != 0 else {
            try check(head & ~ReportHead.status == 0)
            return nil
        }
        if head & ReportHead.currency != 0 { try readCurrency() }
        let lowest = try amount()
        try check(lowest.minor >= 0)
        guard head & ReportHead.secondAmount != 0 else {
            try check(head & ReportHead.secondCurrency == 0)
            return AmountRange(lowest)
        }
        if head & ReportHead.secondCurrency != 0 { try readCurrency() }
        let highest = try amount()
        try check(highest.minor >= 0 && lowest != highest)
        guard let range = AmountRange(lowest: lowest, highest: highest) else { throw Damage() }
        return range
    }

    private mutating func amount() throws(Damage) -> Money {
        guard let currency else { throw Damage() }
        return Money(minor: Int64(bitPattern: try number()), currency: currency)
    }

    /// A currency is damage when it is the one before, which is never repeated.
    private mutating func readCurrency() throws(Damage) {
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

    private mutating func text() throws(Damage) -> String {
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

    /// An unsigned LEB128 in its shortest form, at most ten bytes long.
    private mutating func number() throws(Damage) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            let byte = try byte()
            let bits = UInt64(byte & 0x7f)
            try check((shift < 63 || bits <= 1) && (byte != 0 || shift == 0))
            number |= bits << shift
            if byte & 0x80 == 0 { return number }
        }
        throw Damage()
    }

    private mutating func byte() throws(Damage) -> UInt8 {
        try check(position < bytes.endIndex)
        defer { position += 1 }
        return bytes[position]
    }

    private func check(_ condition: Bool) throws(Damage) {
        if !condition { throw Damage() }
    }
}
