/// Answers single questions about an order from its encoding (`Order+Codec.swift`) without decoding
/// it. Decoding an order with many facts would cost more than all other work for a notification.
package struct EncodedOrder {
    private let bytes: ArraySlice<UInt8>

    /// - Parameter bytes: The output of ``Order/encode(into:)``; anything else traps.
    package init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// Same as ``Order/holds(_:)``.
    package func holds(_ id: String) -> Bool {
        var walk = OrderWalk(bytes, id, seesOwnIDs: true)
        return walk.findsID()
    }

    /// Same as ``Order/names(_:)``.
    package func names(_ id: String) -> Bool {
        var walk = OrderWalk(bytes, id, seesOwnIDs: false)
        return walk.findsID()
    }

    /// Same as ``Order/isKnown(as:role:)``.
    package func isKnown(
        as reference: String, role: OrderReference.Role = .operation
    ) -> Bool {
        var walk = OrderWalk(bytes, reference, seesOwnIDs: false)
        return walk.findsReference(role)
    }
}

/// One pass over an encoding that searches for one text.
private struct OrderWalk {
    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private let wanted: String.UTF8View
    /// Whether an operation's own id matches, or only the ids that facts refer to.
    private let seesOwnIDs: Bool

    init(_ bytes: ArraySlice<UInt8>, _ wanted: String, seesOwnIDs: Bool) {
        self.bytes = bytes
        position = bytes.startIndex
        self.wanted = wanted.utf8
        self.seesOwnIDs = seesOwnIDs
    }

    mutating func findsReference(_ role: OrderReference.Role) -> Bool {
        let (head, more) = heads()
        guard more & OrderMore.references != 0 else {
            return head & OrderHead.reference != 0 && isWanted()
        }
        for _ in 0..<number() {
            let isIt = isWanted()
            if byte() >= role.rawValue && isIt { return true }
        }
        return false
    }

    mutating func findsID() -> Bool {
        let (head, more) = heads()
        if head & OrderHead.reference != 0 { skipText() }
        if more & OrderMore.references != 0 {
            for _ in 0..<number() {
                skipText()
                position += 1
            }
        }
        if head & OrderHead.flags != 0 { _ = number() }
        if head & OrderHead.expectation != 0 { skipMoney() }
        if head & OrderHead.expiry != 0 { _ = number() }
        for _ in 0..<number() where findsInAttempt() { return true }
        for part in [OrderHead.refunds, OrderHead.disputes] where head & part != 0 {
            for _ in 0..<number() where findsInAction() { return true }
        }
        return findsInMore(more)
    }

    private mutating func findsInMore(_ more: UInt8) -> Bool {
        if more & OrderMore.reversals != 0 {
            for _ in 0..<number() {
                position += 1
                if findsInAction() { return true }
            }
        }
        if more & OrderMore.unclearRefunds != 0 {
            for _ in 0..<number() where findsInClaim() { return true }
        }
        if more & OrderMore.refundedAtLeast != 0 { skipMoney() }
        guard more & OrderMore.mentions != 0 else { return false }
        for _ in 0..<number() where isWanted() { return true }
        return false
    }

    private mutating func findsInAttempt() -> Bool {
        if isWanted() { return true }
        let head = number()
        skipReports(head & EntryHead.attemptMask)
        for _ in 0..<head / EntryHead.captureUnit {
            if isWanted() && seesOwnIDs { return true }
            skipReports(number())
        }
        if head & EntryHead.method != 0 { skipText() }
        if head & EntryHead.agreement != 0 { skipText() }
        return false
    }

    private mutating func findsInAction() -> Bool {
        if isWanted() && seesOwnIDs { return true }
        let head = number()
        // A transaction of a known attempt is written as its position; its id was compared there.
        if head & EntryHead.transaction != 0, number() == 0, isWanted() { return true }
        skipReports(head & EntryHead.reportsMask)
        if head & EntryHead.total != 0 { skipMoney() }
        return false
    }

    private mutating func findsInClaim() -> Bool {
        if isWanted() && seesOwnIDs { return true }
        let head = byte()
        if head & ClaimHead.amount != 0 { skipMoney() }
        if head & ClaimHead.refunded != 0 { skipMoney() }
        if head & ClaimHead.moment != 0 { skipText() }
        return false
    }

    private mutating func skipReports(_ count: UInt64) {
        for _ in 0..<count {
            let head = byte()
            if head & ReportHead.currency != 0 { position += 2 }
            if head & ReportHead.amount != 0 { _ = number() }
            if head & ReportHead.moreClaims != 0 { for _ in 0..<number() { skipMoney() } }
            if head & ReportHead.reason != 0 {
                skipText()
                skipText()
            }
        }
    }

    // MARK: Forms

    private mutating func heads() -> (head: UInt8, more: UInt8) {
        position += 1
        let head = byte()
        return (head, head & OrderHead.more == 0 ? 0 : byte())
    }

    /// Reads a text and returns whether it is the wanted one.
    private mutating func isWanted() -> Bool {
        let count = Int(number())
        defer { position += count }
        return count == wanted.count && bytes[position..<position + count].elementsEqual(wanted)
    }

    private mutating func skipText() {
        let count = Int(number())
        position += count
    }

    /// Skips a currency and minor units.
    private mutating func skipMoney() {
        position += 2
        _ = number()
    }

    private mutating func number() -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = byte()
            number |= UInt64(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return number }
            shift += 7
        }
    }

    private mutating func byte() -> UInt8 {
        defer { position += 1 }
        return bytes[position]
    }
}
