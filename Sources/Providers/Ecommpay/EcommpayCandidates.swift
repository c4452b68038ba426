/// The texts that may have been signed for one callback, one after the other, the likeliest first.
/// The first is nearly always the one, so no other is made before it is asked for.
///
/// The official SDKs sort differently and print numbers differently, and nothing says which of them
/// the sending side is like. Numbers as received and in their shortest form are tried in every
/// order; those of one SDK in that SDK's order only:
///
/// | numbers | natural | path | pair |
/// |---|---|---|---|
/// | as received | 1 | 2 | 3 |
/// | shortest | 4 | 5 | 6 |
/// | PHP, 14 digits; PHP, all digits; JavaScript | 7, 8, 9 | | |
/// | Python | | 10 | |
/// | Go, integers; Go, `%v`; Java | | | 11, 12, 13 |
///
/// What makes no difference is left out: for a callback without fractions, exponents or long
/// numbers the first line is all there is, and of that mostly the first text alone.
struct EcommpayCandidates {
    private static let table: [(form: EcommpayNumber.Form?, order: EcommpayText.Order)] = [
        (nil, .natural), (nil, .bytes), (nil, .pair),
        (.shortest, .natural), (.shortest, .bytes), (.shortest, .pair),
        (.php, .natural), (.phpExact, .natural), (.javaScript, .natural), (.python, .bytes),
        (.goInteger, .pair), (.goGeneral, .pair), (.java, .pair),
    ]

    private let leaves: EcommpayLeaves

    /// Where the numbers stand that not every SDK prints as they were received. Looked for when the
    /// texts with numbers as received have been tried.
    private var places: [Int] = []
    private var numbers: [EcommpayNumber] = []
    private var row = 0

    /// By place in `Order.allCases`, made when first needed. The order of the leaves is the same
    /// however numbers are printed: where two paths do not decide, one is followed by a value and
    /// the other by a second colon, and digits and signs stand before that.
    private var orders = [[Int]?](repeating: nil, count: EcommpayText.Order.allCases.count)

    /// What was tried, to leave out what would be the same.
    private var tried: [(numbers: PrintedNumbers, order: [Int])] = []

    init(_ leaves: EcommpayLeaves) { self.leaves = leaves }

    /// The next text; nil after the last.
    ///
    /// - Throws: ``Refusal``, malformed: `verification_too_costly`.
    mutating func next(work: inout VerificationWork) throws(Refusal) -> [UInt8]? {
        while row < Self.table.count {
            if row == EcommpayText.Order.allCases.count { try parseNumbers(work: &work) }
            let (form, order) = Self.table[row]
            if form != nil, numbers.isEmpty { return nil }
            row += 1
            let sorted = try sorted(order, work: &work)
            try work.spend(form == nil ? 0 : numbers.count * EcommpayNumber.printingBytes)
            let candidate = (numbers: printed(form), order: sorted)
            try work.spend(leaves.leaves.count * tried.count)
            guard !tried.contains(where: { $0 == candidate }) else { continue }
            tried.append(candidate)
            return try text(candidate.numbers, sorted, work: &work)
        }
        return nil
    }

    /// What the text that came last says, numbers as they were signed.
    var signed: EcommpayLeaves {
        guard let printed = tried.last?.numbers, !printed.ends.isEmpty else { return leaves }
        return leaves.replacing(places, with: printed)
    }

    private func text(
        _ numbers: PrintedNumbers, _ order: [Int], work: inout VerificationWork
    ) throws(Refusal) -> [UInt8] {
        let copies = numbers.ends.isEmpty ? 1 : 2
        try work.spend(copies * (leaves.text.count + leaves.leaves.count * Self.leafBytes))
        return EcommpayText.text(
            numbers.ends.isEmpty ? leaves : leaves.replacing(places, with: numbers), in: order)
    }

    /// What copying a leaf costs besides its bytes.
    private static let leafBytes = 8

    private mutating func sorted(
        _ order: EcommpayText.Order, work: inout VerificationWork
    ) throws(Refusal) -> [Int] {
        if let sorted = orders[order.rawValue] { return sorted }
        var compared = 0
        let sorted = EcommpayText.sorted(
            leaves, order, comparedBytes: &compared, comparedMax: work.bytesLeft)
        try work.spend(compared)
        orders[order.rawValue] = sorted
        return sorted
    }

    private mutating func parseNumbers(work: inout VerificationWork) throws(Refusal) {
        try work.spend(leaves.leaves.count)
        places = leaves.leaves.indices.filter { index in
            let leaf = leaves.leaves[index]
            return leaf.kind == .number
                && EcommpayNumber.dependsOnPrinter(leaves.text.span.extracting(leaf.value))
        }
        try work.spend(places.count * EcommpayNumber.parsingBytes)
        numbers = places.map { index in
            let lexeme = leaves.text[leaves.leaves[index].value]
            return EcommpayNumber(String(decoding: lexeme, as: UTF8.self))
        }
    }

    /// Nothing where all numbers stay as they were received.
    private func printed(_ form: EcommpayNumber.Form?) -> PrintedNumbers {
        var printed = PrintedNumbers()
        guard let form else { return printed }
        var isAsReceived = true
        for (index, number) in numbers.enumerated() {
            number.append(form, to: &printed.bytes)
            printed.ends.append(printed.bytes.count)
            let received = leaves.text[leaves.leaves[places[index]].value]
            isAsReceived = isAsReceived && printed[index] == received
        }
        return isAsReceived ? PrintedNumbers() : printed
    }
}

/// Texts for the numbers of a callback, one behind the other.
struct PrintedNumbers: Equatable {
    var bytes: [UInt8] = []

    /// Where each ends.
    var ends: [Int] = []

    subscript(_ index: Int) -> ArraySlice<UInt8> {
        bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
    }
}
