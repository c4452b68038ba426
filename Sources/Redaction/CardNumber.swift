/// Full card numbers (primary account numbers, ISO/IEC 7812-1). At most the first six and the last
/// four digits of one may be stored in the clear (PCI DSS 4.0.1, requirement 3.5.1).
///
/// A number counts where it cannot be part of a longer word, begins with digits that a card scheme
/// issues, has a length that this scheme uses, and has the right check digit (Luhn). One of ten
/// other numbers with such digits passes, too, so members named like ids are left alone
/// (``ValueMeaning``).
package enum CardNumber {
    /// The shortest and the longest number.
    static let lengths = 13...19

    /// The first and the last digits that stay.
    static let (shownFirst, shownLast) = (6, 4)

    /// The places of the card numbers in `text`, from their first to their last digit, in order.
    package static func places(in text: Span<UInt8>) -> [Range<Int>] {
        var places: [Range<Int>] = []
        var offset = 0
        while offset < text.count {
            guard text[offset].isDigit else {
                offset += 1
                continue
            }
            let run = DigitRun(text, from: offset)
            places += run.cards(in: text)
            offset = run.end
        }
        return places
    }

    /// Replaces the digits of `place` but the first six and the last four. Separators stay.
    package static func mask(_ place: Range<Int>, of text: inout [UInt8]) {
        let digits = place.filter { text[$0].isDigit }
        for index in digits.dropFirst(shownFirst).dropLast(shownLast) {
            text[index] = UInt8(ascii: "*")
        }
    }

    static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
    }

    /// Whether a scheme issues the number that the digits of `place` are.
    ///
    /// The ranges are those that the schemes publish; UnionPay, Mir and RuPay included.
    static func isIssued(_ place: Range<Int>, of text: Span<UInt8>) -> Bool {
        var (first, count, sum) = (0, 0, 0)
        for index in place where text[index].isDigit {
            if count < 6 { first = first * 10 + Int(text[index] - 0x30) }
            count += 1
        }
        guard let allowed = issuedLengths(first), allowed.contains(count) else { return false }
        // The check of ISO/IEC 7812-1, annex B (Luhn): every second digit from the last counts
        // twice.
        var isDoubled = false
        for index in place.reversed() where text[index].isDigit {
            let value = Int(text[index] - 0x30) << (isDoubled ? 1 : 0)
            sum += value > 9 ? value - 9 : value
            isDoubled.toggle()
        }
        return sum % 10 == 0
    }

    /// The lengths of the numbers that begin with these six digits; nil if no scheme issues them.
    private static func issuedLengths(_ first: Int) -> [Int]? {
        switch first {
        case 400_000...499_999: [13, 16, 19]  // Visa
        case 510_000...559_999, 222_100...272_099: [16]  // Mastercard
        case 340_000...349_999, 370_000...379_999: [15]  // American Express
        case 300_000...305_999, 309_500...309_599, 360_000...369_999, 380_000...399_999:
            [14, 16, 19]  // Diners Club
        case 352_800...358_999: [16, 17, 18, 19]  // JCB
        case 601_100...601_199, 644_000...659_999: [16, 19]  // Discover
        case 620_000...629_999, 810_000...817_199: [16, 17, 18, 19]  // UnionPay
        case 220_000...220_499: [16, 17, 18, 19]  // Mir
        case 500_000...509_999, 560_000...589_999, 600_000...609_999, 630_000...643_999,
            660_000...699_999:
            [16, 18, 19]  // Maestro, RuPay, Elo
        default: nil
        }
    }
}

/// Digits in a row, in groups with the same separator between them.
private struct DigitRun {
    private var groups: [Range<Int>] = []

    /// Reads the run that begins at `start`.
    init(_ text: Span<UInt8>, from start: Int) {
        var separator: UInt8?
        var offset = start
        while true {
            let begin = offset
            while offset < text.count, text[offset].isDigit { offset += 1 }
            groups.append(begin..<offset)
            guard offset + 1 < text.count, CardNumber.isSeparator(text[offset]),
                separator == nil || separator == text[offset], text[offset + 1].isDigit
            else { return }
            separator = text[offset]
            offset += 1
        }
    }

    /// Offset after the last digit.
    var end: Int { groups[groups.count - 1].upperBound }

    /// The places of the card numbers in the run.
    func cards(in text: Span<UInt8>) -> [Range<Int>] {
        var cards: [Range<Int>] = []
        var index = 0
        while index < groups.count {
            let count = length(ofCardAt: index, text)
            if count > 0 {
                cards.append(groups[index].lowerBound..<groups[index + count - 1].upperBound)
            }
            index += max(count, 1)
        }
        return cards
    }

    /// Number of groups of the card number that begins with the group `index`; 0 if none does.
    private func length(ofCardAt index: Int, _ text: Span<UInt8>) -> Int {
        if isCard(index..<index + 5, text) { return 5 }
        if isCard(index..<index + 4, text) { return 4 }
        if isCard(index..<index + 3, text) { return 3 }
        return isCard(index..<index + 1, text) ? 1 : 0
    }

    private func isCard(_ some: Range<Int>, _ text: Span<UInt8>) -> Bool {
        guard some.upperBound <= groups.count, isPrinted(some.lowerBound, some.count) else {
            return false
        }
        let place = groups[some.lowerBound].lowerBound..<groups[some.upperBound - 1].upperBound
        return isAlone(place.lowerBound, place.upperBound, text)
            && CardNumber.isIssued(place, of: text)
    }

    /// Whether the `count` groups from `first` are those that are printed on cards: one, 4-4-4-4
    /// with up to three more digits, 4-6-5, or 4-6-4.
    private func isPrinted(_ first: Int, _ count: Int) -> Bool {
        func length(_ index: Int) -> Int { groups[first + index].count }
        switch count {
        case 1: return CardNumber.lengths.contains(length(0))
        case 3: return length(0) == 4 && length(1) == 6 && (4...5).contains(length(2))
        default:
            guard length(0) == 4, length(1) == 4, length(2) == 4 else { return false }
            return count == 4
                ? (1...7).contains(length(3)) : length(3) == 4 && (1...3).contains(length(4))
        }
    }

    /// Whether neither a letter, nor the rest of a fraction or of a name, touches it.
    private func isAlone(_ start: Int, _ end: Int, _ text: Span<UInt8>) -> Bool {
        if start > 0, text[start - 1].joinsWords { return false }
        guard end < text.count else { return true }
        if text[end].joinsWords { return false }
        let isFraction =
            text[end] == UInt8(ascii: ".") && end + 1 < text.count && text[end + 1].isDigit
        return !isFraction
    }
}

extension UInt8 {
    var isDigit: Bool { self &- 0x30 < 10 }

    /// A letter, `_`, or a byte of a character beyond ASCII.
    fileprivate var joinsWords: Bool {
        (self | 0x20) &- 0x61 < 26 || self == UInt8(ascii: "_") || self >= 0x80
    }
}
