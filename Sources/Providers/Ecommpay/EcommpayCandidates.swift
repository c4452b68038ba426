/// The texts that may have been signed for one callback, in order of likelihood. The first one
/// nearly always matches, so each text is only built when it is requested.
///
/// The official SDKs differ in sort order and number formatting, and nothing documents which of
/// them the sender resembles. Numbers as received and in their shortest form are tried in every
/// order; the numbers of one SDK only in that SDK's order:
///
/// | numbers | natural | path | pair |
/// |---|---|---|---|
/// | as received | 1 | 2 | 3 |
/// | shortest | 4 | 5 | 6 |
/// | PHP, 14 digits; PHP, all digits; JavaScript | 7, 8, 9 | | |
/// | Python | | 10 | |
/// | Go, integers; Go, `%v`; Java | | | 11, 12, 13 |
///
/// Equal candidates are skipped: a callback without fractions, exponents or long numbers only has
/// the first row, and usually only its first text.
struct EcommpayCandidates {
    private static let table: [(form: EcommpayNumber.Form?, order: EcommpayText.Order)] = [
        (nil, .natural), (nil, .bytes), (nil, .pair),
        (.shortest, .natural), (.shortest, .bytes), (.shortest, .pair),
        (.php, .natural), (.phpExact, .natural), (.javaScript, .natural), (.python, .bytes),
        (.goInteger, .pair), (.goGeneral, .pair), (.java, .pair),
    ]

    private let leaves: EcommpayLeaves

    /// Indices of the leaves whose numbers depend on the SDK. Set once the texts with numbers as
    /// received have been tried.
    private var places: [Int] = []
    private var numbers: [EcommpayNumber] = []
    private var row = 0

    /// Sorted indices of the leaves for each of `Order.allCases`, computed when first needed. The
    /// number format does not change the order: where two paths do not decide, one is followed by a
    /// value and the other by a second colon, and digits and signs sort before a colon.
    private var orders = [[Int]?](repeating: nil, count: EcommpayText.Order.allCases.count)

    /// The candidates so far, to skip equal ones.
    private var tried: [(numbers: PrintedNumbers, order: [Int])] = []

    init(_ leaves: EcommpayLeaves) { self.leaves = leaves }

    /// Returns the next text; nil after the last.
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

    /// The leaves of the last text, with numbers as they were signed.
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

    /// Cost of copying a leaf besides its bytes.
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

    /// Returns the numbers in a form; empty if all are as they were received.
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

/// The texts of a callback's numbers, concatenated.
struct PrintedNumbers: Equatable {
    var bytes: [UInt8] = []

    /// The end of each text in `bytes`.
    var ends: [Int] = []

    subscript(_ index: Int) -> ArraySlice<UInt8> {
        bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
    }
}
