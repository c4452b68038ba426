/// The beginning of a result code, in the little that the documented expressions use: characters,
/// and sets of them (`[123]`, `[0-9]`, `[^3]`).
struct OPPCodePattern: Sendable, ExpressibleByStringLiteral {
    private enum Step: Sendable {
        case one(of: [UInt8])
        case none(of: [UInt8])
    }

    private let steps: [Step]

    init(stringLiteral pattern: String) {
        var steps: [Step] = []
        var rest = Array(pattern.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "["), let end = rest.firstIndex(of: UInt8(ascii: "]")) else {
                steps.append(.one(of: [byte]))
                continue
            }
            let isNegated = rest.first == UInt8(ascii: "^")
            let set = Self.expand(rest[(rest.startIndex + (isNegated ? 1 : 0))..<end])
            steps.append(isNegated ? .none(of: set) : .one(of: set))
            rest = rest[(end + 1)...]
        }
        self.steps = steps
    }

    /// Whether `code` begins so.
    func matches(_ code: String) -> Bool {
        var bytes = code.utf8.makeIterator()
        for step in steps {
            guard let byte = bytes.next() else { return false }
            switch step {
            case .one(let set): guard set.contains(byte) else { return false }
            case .none(let set): guard !set.contains(byte) else { return false }
            }
        }
        return true
    }

    /// `0-9` as the ten digits.
    private static func expand(_ set: ArraySlice<UInt8>) -> [UInt8] {
        let bytes = Array(set)
        guard bytes.count == 3, bytes[1] == UInt8(ascii: "-") else { return bytes }
        return Array(bytes[0]...bytes[2])
    }
}
