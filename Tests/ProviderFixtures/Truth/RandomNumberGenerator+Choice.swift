extension RandomNumberGenerator {
    /// Any element; the collection is not empty.
    mutating func pick<Choices: RandomAccessCollection>(_ choices: Choices) -> Choices.Element {
        let offset = Int.random(in: 0..<choices.count, using: &self)
        return choices[choices.index(choices.startIndex, offsetBy: offset)]
    }

    /// True once in `count` times.
    mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}
