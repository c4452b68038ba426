/// Why there is no good frame at a place. Zeros fail as `header`.
enum FrameFault: Equatable, Sendable {
    /// No header with this segment's salt.
    case header
    /// The header's checksum holds, its numbers cannot be.
    case impossible
    /// The header holds, the body does not.
    case body(frameBytes: Int)
    /// A whole frame, out of its turn.
    case sequence(found: UInt64, expected: UInt64)
    /// A whole frame, which does not follow the block before it.
    case chain
    /// A whole frame, whose records' lengths do not add up.
    case records
}
