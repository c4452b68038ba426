/// The compact encoding of an order. The store keeps millions of them in memory and in snapshots.
///
/// Version 4. A *number* is an unsigned LEB128 in its shortest form; a *text* is a number of bytes
/// and that many bytes of UTF-8.
///
/// | field | form | present if |
/// |---|---|---|
/// | version | byte 4 | always |
/// | head | byte, the sum of the numbers after "head" below | always |
/// | more | byte, not zero, the sum of the numbers after "more" below | head 64 |
/// | reference | text: the only one, of a payment | head 1 |
/// | references | number, not zero, then each a text and a byte, its role | more 1 |
/// | flags | number, the bits of `FlagSet`, not zero | head 2 |
/// | expectation | currency, minor units | head 4 |
/// | expiry | number, microseconds since 1970 in zigzag | head 8 |
/// | attempts | number, then each an attempt | always |
/// | refunds | number, not zero, then each an action | head 16 |
/// | disputes | number, not zero, then each an action | head 32 |
/// | reversals | number, not zero, then each a byte (its kind) and an action | more 2 |
/// | unclear refunds | number, not zero, then each a claim | more 4 |
/// | refunded at least | money | more 8 |
/// | mentions | number, not zero, then each a text | more 16 |
/// | resolution | below | more 32 |
///
/// | in them | form |
/// |---|---|
/// | attempt | text id; number (below); the reports; the captures; text method; text agreement |
/// | capture | text id; number of reports; the reports |
/// | action | text id; number (below); the transaction; the reports; money, a refund's total |
/// | transaction | number, the position of its attempt counted from 1; or 0 and a text |
/// | claim | text id; byte status (below); money; money; text |
/// | money | currency, minor units |
/// | resolution | number sequence; byte; text status; money, money; 16 bytes; text; number; text |
///
/// The number of an attempt is its reports + 16 with a method + 32 with an agreement + 64 × its
/// captures. That of an action is its reports + 8 with a transaction + 16 with a total.
///
/// The byte of a resolution is the sum of 1 with a sum taken, 2 with one given back, 4 when it is
/// overruled. Its basis is followed by who resolved it, when (in the form of an expiry), and why.
///
/// The status byte of a claim has + 8 with an amount, + 16 with a refunded sum, + 32 with a moment,
/// + 64 when the refund succeeded and was also reported failed.
///
/// A report is a byte (status; +8 an amount; +16 more claims; +32 the amount's currency follows;
/// +64 a reason), then the amount: its currency, if it follows, and its minor units as a number;
/// the further claims, as their count and then each as money; the reason, as two texts. A currency
/// is two bytes, high byte first; that of a report's first amount is written only if it differs
/// from the previous one. Every order has exactly one encoding.
extension Order {
    /// The version of the encoding, its first byte.
    package static let encodingVersion: UInt8 = 4

    /// Returns this order's encoding. Equal orders have equal encodings.
    ///
    /// ```swift
    /// let facts = order.encoded()
    /// let read = Order(encoded: facts)  // equal to `order`
    /// ```
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64)
        encode(into: &bytes)
        return bytes
    }

    /// Appends this order's encoding to `bytes`.
    package func encode(into bytes: inout [UInt8]) {
        var writer = OrderWriter(bytes: bytes)
        bytes = []
        writer.write(self)
        bytes = writer.bytes
    }

    /// Decodes an order from exactly `bytes`; nil if they are not an order's encoding. Never traps.
    public init?(encoded bytes: [UInt8]) {
        self.init(encoded: bytes[...])
    }

    /// Decodes an order from exactly `bytes`; nil if they are not an order's encoding. Never traps.
    package init?(encoded bytes: ArraySlice<UInt8>) {
        var reader = OrderReader(bytes)
        guard let order = try? reader.order() else { return nil }
        self = order
    }
}

/// The bits of the head byte.
enum OrderHead {
    static let reference: UInt8 = 1
    static let flags: UInt8 = 2
    static let expectation: UInt8 = 4
    static let expiry: UInt8 = 8
    static let refunds: UInt8 = 16
    static let disputes: UInt8 = 32
    static let more: UInt8 = 64
    static let all: UInt8 = 127
}

/// The bits of the byte after the head.
enum OrderMore {
    static let references: UInt8 = 1
    static let reversals: UInt8 = 2
    static let unclearRefunds: UInt8 = 4
    static let refundedAtLeast: UInt8 = 8
    static let mentions: UInt8 = 16
    static let resolution: UInt8 = 32
    static let all: UInt8 = 63
}

/// The bits of a resolution's byte.
enum ResolutionHead {
    static let captured: UInt8 = 1
    static let refunded: UInt8 = 2
    static let overruled: UInt8 = 4
    static let all: UInt8 = 7
}

/// The bits of a claim's byte, above its status.
enum ClaimHead {
    static let status: UInt8 = 7
    static let amount: UInt8 = 8
    static let refunded: UInt8 = 16
    static let moment: UInt8 = 32
    static let contradicted: UInt8 = 64
    static let all: UInt8 = 127
}

/// The bits of a report's byte, above its status.
enum ReportHead {
    static let status: UInt8 = 7
    static let amount: UInt8 = 8
    static let moreClaims: UInt8 = 16
    static let currency: UInt8 = 32
    static let reason: UInt8 = 64
}

/// The parts of the number that precedes reports.
enum EntryHead {
    /// Of an attempt.
    static let attemptMask: UInt64 = 15
    static let method: UInt64 = 16
    static let agreement: UInt64 = 32
    static let captureUnit: UInt64 = 64
    /// Of an action.
    static let reportsMask: UInt64 = 7
    static let transaction: UInt64 = 8
    static let total: UInt64 = 16
}
