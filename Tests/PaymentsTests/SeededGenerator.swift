/// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators"): a seed that a
/// failure names repeats the case.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

extension SeededGenerator {
    /// Any element; the collection is not empty.
    mutating func pick<Choices: RandomAccessCollection>(_ choices: Choices) -> Choices.Element {
        let offset = Int.random(in: 0..<choices.count, using: &self)
        return choices[choices.index(choices.startIndex, offsetBy: offset)]
    }

    /// True once in `count` times.
    mutating func once(in count: Int) -> Bool {
        Int.random(in: 0..<count, using: &self) == 0
    }
}
