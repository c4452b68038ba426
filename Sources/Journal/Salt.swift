/// Sixty-four random bits of a segment. They stand in its header only, and never leave the machine, so nobody who sends
/// notifications can write a body that poses as a frame of this segment.
struct Salt: Equatable, Sendable {
    /// Where the checksum of every frame header starts.
    var seed: UInt32
    /// Repeated in every frame header.
    var stamp: UInt32

    init(seed: UInt32, stamp: UInt32) {
        self.seed = seed
        self.stamp = stamp
    }

    init(bits: UInt64) {
        self.init(
            seed: UInt32(truncatingIfNeeded: bits), stamp: UInt32(truncatingIfNeeded: bits >> 32))
    }
}
