/// Collects fields as `name=value&` and sorts them by the bytes of their names, as PHP's `ksort`
/// and JavaScript's `sort` do for these names.
struct SortedFields {
    /// One field in `text`, its `&` included.
    struct Field {
        let start: Int
        let nameEnd: Int
        let end: Int

        /// Whether the value is JSON's `null`.
        let isNull: Bool

        /// The beginning of the name as a number, which distinguishes nearly all names.
        let prefix: UInt128
    }

    /// The fields in order of arrival. A value is appended here between `begin` and `end`.
    var text: [UInt8] = []

    private(set) var fields: [Field] = []

    /// Number of bytes of names that were compared.
    private(set) var comparedBytes = 0
    private var start = 0
    private var nameEnd = 0

    init() {
        text.reserveCapacity(512)
        fields.reserveCapacity(16)
    }

    mutating func begin(_ name: Span<UInt8>) {
        start = text.count
        text.append(name)
        nameEnd = text.count
        text.append(UInt8(ascii: "="))
    }

    mutating func end(isNull: Bool = false) {
        text.append(UInt8(ascii: "&"))
        let prefix = text.span.firstSixteen(of: start..<nameEnd)
        let field = Field(
            start: start, nameEnd: nameEnd, end: text.count, isNull: isNull, prefix: prefix)
        // There are about a dozen fields, so each is inserted at its place. Binary search, because
        // the names may be long and alike.
        var low = 0
        var high = fields.count
        while low < high {
            let middle = (low + high) / 2
            if precedes(field, fields[middle]) { high = middle } else { low = middle + 1 }
        }
        fields.insert(field, at: low)
    }

    private mutating func precedes(_ left: Field, _ right: Field) -> Bool {
        guard left.prefix == right.prefix else { return left.prefix < right.prefix }
        comparedBytes += min(left.nameEnd - left.start, right.nameEnd - right.start)
        let text = text.span
        return text.extracting(left.start..<left.nameEnd).precedes(
            text.extracting(right.start..<right.nameEnd))
    }
}
