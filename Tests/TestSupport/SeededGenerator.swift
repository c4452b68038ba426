/// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators"): the same
/// numbers for the same seed on every machine, so that a failure that reports its seed can be
/// repeated.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A random element of a non-empty collection.
    package mutating func pick<Choices: RandomAccessCollection>(
        _ choices: Choices
    ) -> Choices.Element {
        let offset = Int.random(in: 0..<choices.count, using: &self)
        return choices[choices.index(choices.startIndex, offsetBy: offset)]
    }

    /// Returns true once in `count` times on average.
    package mutating func once(in count: Int) -> Bool {
        Int.random(in: 0..<count, using: &self) == 0
    }

    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
