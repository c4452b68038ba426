/// Finds the field lines of a head or trailer section, and refuses the first byte that is not
/// allowed (RFC 9112 §5):
///
///     field-line = field-name ":" OWS field-value OWS
///
/// The buffer holds the section from its first byte; each call continues where the last one
/// stopped, so every byte is examined once.
struct FieldSectionScanner: Sendable {
    private enum State: UInt8 {
        case lineStart, name, valueStart, value, lineFeed, sectionLineFeed, complete
    }

    private let fieldCountMax: Int
    /// The first offset beyond the section's limit.
    private var bound: Int
    private var state = State.lineStart
    /// The next byte to examine.
    private(set) var position: Int
    private var nameStart = 0
    private var nameEnd = 0
    private var valueStart = 0
    /// The lines found so far.
    private(set) var fields: [FieldBounds] = []

    /// Scans from `start`; the section ends before `bound`.
    init(start: Int, bound: Int, fieldCountMax: Int) {
        position = start
        self.bound = bound
        self.fieldCountMax = fieldCountMax
        fields.reserveCapacity(min(fieldCountMax, 24))
    }

    /// Starts another section and keeps the table's memory, so a connection allocates it once.
    mutating func restart(at start: Int, bound: Int) {
        fields.removeAll(keepingCapacity: true)
        position = start
        self.bound = bound
        state = .lineStart
    }

    /// Scans the new bytes of the buffer. Returns whether the section is complete; `position` is
    /// then after its empty line.
    mutating func scan(
        _ bytes: [UInt8], tooLarge: HTTPError.Cause
    ) throws(HTTPError.Cause) -> Bool {
        let buffer = bytes.span
        let end = min(buffer.count, bound)
        while position < end {
            switch state {
            case .lineStart: try scanLineStart(buffer[position])
            case .name: try scanName(buffer, end)
            case .valueStart: scanValueStart(buffer, end)
            case .value: try scanValue(buffer, end)
            case .lineFeed:
                guard buffer[position] == ByteClass.lineFeed else { throw .headBareCR }
                position += 1
                state = .lineStart
            case .sectionLineFeed:
                guard buffer[position] == ByteClass.lineFeed else { throw .headBareCR }
                position += 1
                state = .complete
                return true
            case .complete:
                return true
            }
        }
        if state != .complete, buffer.count > bound { throw tooLarge }
        return state == .complete
    }

    @inline(__always)
    private mutating func scanLineStart(_ byte: UInt8) throws(HTTPError.Cause) {
        if ByteSet.token.contains(byte) {
            guard fields.count < fieldCountMax else { throw .fieldsTooMany }
            nameStart = position
            state = .name
            return
        }
        switch byte {
        case ByteClass.carriageReturn:
            position += 1
            state = .sectionLineFeed
        case ByteClass.lineFeed:
            throw .headBareLF
        case ByteClass.space, ByteClass.tab:
            // RFC 9112 §5.2 (obs-fold) and §2.2 (white space before the first field): both may hide
            // a field from a reader that parses them differently, so both are refused.
            throw fields.isEmpty ? .headWhitespaceFirst : .obsoleteFold
        case ByteClass.colon:
            throw .fieldNameEmpty
        default:
            throw .fieldNameInvalid
        }
    }

    @inline(__always)
    private mutating func scanName(_ buffer: Span<UInt8>, _ end: Int) throws(HTTPError.Cause) {
        var index = position
        while index < end, ByteSet.token.contains(buffer[index]) { index += 1 }
        position = index
        guard index < end else { return }
        switch buffer[index] {
        case ByteClass.colon:
            nameEnd = index
            position = index + 1
            state = .valueStart
        case ByteClass.space, ByteClass.tab:
            // RFC 9112 §5.1: white space between name and colon MUST be refused with 400.
            throw .fieldNameWhitespace
        case ByteClass.carriageReturn:
            throw .fieldColonMissing
        case ByteClass.lineFeed:
            throw .headBareLF
        default:
            throw .fieldNameInvalid
        }
    }

    @inline(__always)
    private mutating func scanValueStart(_ buffer: Span<UInt8>, _ end: Int) {
        var index = position
        while index < end, ByteClass.isWhitespace(buffer[index]) { index += 1 }
        position = index
        guard index < end else { return }
        valueStart = index
        state = .value
    }

    @inline(__always)
    private mutating func scanValue(_ buffer: Span<UInt8>, _ end: Int) throws(HTTPError.Cause) {
        position = buffer.firstNonFieldContent(from: position, to: end)
        guard position < end else { return }
        switch buffer[position] {
        case ByteClass.carriageReturn:
            var valueEnd = position
            while valueEnd > valueStart, ByteClass.isWhitespace(buffer[valueEnd - 1]) {
                valueEnd -= 1
            }
            fields.append(FieldBounds(name: nameStart..<nameEnd, value: valueStart..<valueEnd))
            position += 1
            state = .lineFeed
        case ByteClass.lineFeed:
            // RFC 9112 §2.2 permits a bare LF as a line end, but peers that do not accept it would
            // read a different message, so it is refused.
            throw .headBareLF
        default:
            throw .fieldValueInvalid
        }
    }
}

/// The ranges of a field line's name and value in the bytes of its section.
struct FieldBounds: Sendable {
    // 32 bits keep a section's table within one or two cache lines; sections are much smaller.
    private let nameStart: UInt32
    private let nameEnd: UInt32
    private let valueStart: UInt32
    private let valueEnd: UInt32

    @inline(__always)
    init(name: Range<Int>, value: Range<Int>) {
        nameStart = UInt32(truncatingIfNeeded: name.lowerBound)
        nameEnd = UInt32(truncatingIfNeeded: name.upperBound)
        valueStart = UInt32(truncatingIfNeeded: value.lowerBound)
        valueEnd = UInt32(truncatingIfNeeded: value.upperBound)
    }

    @inline(__always)
    var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    @inline(__always)
    var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    @inline(__always)
    var nameCount: Int { Int(nameEnd &- nameStart) }
}

extension Span<UInt8> {
    /// The first offset in `start..<end` whose byte is not allowed in a field value (a control
    /// other than HTAB, including CR and LF), or `end`.
    ///
    /// Field values are most of a head, so eight bytes are tested at a time: a word without a byte
    /// below 0x20 and without 0x7F is skipped as a whole.
    @inline(__always)
    func firstNonFieldContent(from start: Int, to end: Int) -> Int {
        var index = start
        let raw = unsafe bytes
        while index &+ 8 <= end {
            let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard !Self.mayHoldControl(word) else { break }
            index &+= 8
        }
        while index < end, ByteClass.isFieldContent(self[index]) {
            index &+= 1
        }
        return index
    }

    /// Whether a byte of the word may be below 0x20 or equal to 0x7F. The borrow between bytes can
    /// only turn a "no" into a "yes", and a "yes" is checked byte by byte.
    @inline(__always)
    private static func mayHoldControl(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        let below = (word &- ones &* 0x20) & ~word & tops
        let deletes = word ^ (ones &* 0x7F)
        let equal = (deletes &- ones) & ~deletes & tops
        return (below | equal) != 0
    }
}
