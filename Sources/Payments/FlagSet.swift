/// A set of flags in 32 bits. The bits are written to disk: a new flag takes the next free one.
package struct FlagSet: Sendable, Hashable {
    package private(set) var bits: UInt32

    /// The bits that belong to a flag; any other bit is damage.
    package static let knownBits: UInt32 = Flag.allCases.reduce(0) { $0 | $1.bit }

    package init() {
        bits = 0
    }

    package init(_ flags: [Flag]) {
        bits = flags.reduce(0) { $0 | $1.bit }
    }

    /// The set written as `bits`, or nil if a bit belongs to no flag.
    package init?(bits: UInt32) {
        guard bits & ~Self.knownBits == 0 else { return nil }
        self.bits = bits
    }

    package var isEmpty: Bool { bits == 0 }

    package func contains(_ flag: Flag) -> Bool {
        bits & flag.bit != 0
    }

    package mutating func insert(_ flag: Flag) {
        bits |= flag.bit
    }

    /// Inserts `flag` if `condition` is true.
    package mutating func insert(_ flag: Flag, when condition: Bool) {
        if condition { insert(flag) }
    }

    package mutating func remove(_ flag: Flag) {
        bits &= ~flag.bit
    }

    /// Whether the two have a flag in common.
    package func intersects(_ other: FlagSet) -> Bool {
        bits & other.bits != 0
    }

    /// Whether every flag of `other` is in this set.
    package func isSuperset(of other: FlagSet) -> Bool {
        other.bits & ~bits == 0
    }

    package func intersection(_ other: FlagSet) -> FlagSet {
        var common = self
        common.bits &= other.bits
        return common
    }

    package mutating func formUnion(_ other: FlagSet) {
        bits |= other.bits
    }

    /// The flags in the order in which `Flag` declares them.
    package var list: [Flag] {
        bits == 0 ? [] : Flag.allCases.filter(contains)
    }
}

extension Flag {
    fileprivate var bit: UInt32 {
        switch self {
        case .contradicted: 1 << 0
        case .paidTwice: 1 << 1
        case .conflict: 1 << 2
        case .amountUnexpected: 1 << 25
        case .unknownStatus: 1 << 3
        case .unknownKind: 1 << 4
        case .notUnderstood: 1 << 5
        case .testMode: 1 << 6
        case .overRefunded: 1 << 7
        case .currencyMismatch: 1 << 8
        case .invalidAmount: 1 << 9
        case .amountsDiffer: 1 << 10
        case .amountUnknown: 1 << 11
        case .unjoined: 1 << 12
        case .unsignedClaim: 1 << 13
        case .unverifiedChargeback: 1 << 14
        case .refundAmbiguous: 1 << 15
        case .reversalAmbiguous: 1 << 16
        case .captureFailed: 1 << 17
        case .partiallyCaptured: 1 << 18
        case .providerReview: 1 << 19
        case .tooManyEvents: 1 << 20
        case .captureAmbiguous: 1 << 21
        case .resolved: 1 << 22
        case .reopened: 1 << 23
        case .overCaptured: 1 << 24
        case .sharedID: 1 << 28
        case .unconfirmed: 1 << 29
        }
    }
}
