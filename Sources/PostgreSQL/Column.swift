/// One array parameter, built value by value, so that one statement inserts any number of rows:
/// `INSERT … SELECT unnest($1), unnest($2)`.
///
/// Binary form (`array_recv`): number of dimensions, whether there are nulls, element type, then
/// length and lower bound of the one dimension, then each element preceded by its length, -1 for
/// null.
package struct Column: Sendable {
    let type: PostgresType
    private(set) var count = 0
    private var hasNulls = false
    private var elements: [UInt8] = []

    package init(_ type: PostgresType) { self.type = type }

    package var isEmpty: Bool { count == 0 }

    package mutating func append(_ value: Int64) {
        switch type {
        case .int2: append(fixed: Int16(truncatingIfNeeded: value))
        case .int4: append(fixed: Int32(truncatingIfNeeded: value))
        case .int8: append(fixed: value)
        default: preconditionFailure("\(type) is not an integer")
        }
    }

    package mutating func append(_ value: Int64?) {
        if let value { append(value) } else { appendNull() }
    }

    /// Microseconds since 1970. Values outside the server's range are clamped to it.
    package mutating func append(microseconds: Int64) {
        precondition(type == .timestamp)
        let kept = min(max(microseconds, -PostgresType.timestampMax), PostgresType.timestampMax)
        append(fixed: kept - PostgresType.timestampEpoch)
    }

    package mutating func append(_ value: Bool) {
        precondition(type == .bool)
        append(fixed: UInt8(value ? 1 : 0))
    }

    /// A server cannot store U+0000 in a text; U+FFFD replaces it.
    package mutating func append(_ text: String) {
        precondition(type == .text)
        let kept = text.utf8.contains(0) ? text.replacing("\u{0}", with: "\u{fffd}") : text
        begin(length: kept.utf8.count)
        elements.append(contentsOf: kept.utf8)
    }

    package mutating func append(_ text: String?) {
        if let text { append(text) } else { appendNull() }
    }

    package mutating func append(_ bytes: some Collection<UInt8>) {
        precondition(type == .bytes)
        begin(length: bytes.count)
        elements.append(contentsOf: bytes)
    }

    /// Appends a UUID given as two halves.
    package mutating func append(high: UInt64, low: UInt64) {
        precondition(type == .uuid)
        begin(length: 16)
        elements.append(bigEndian: high)
        elements.append(bigEndian: low)
    }

    package mutating func appendNull() {
        hasNulls = true
        count += 1
        elements.append(bigEndian: Int32(-1))
    }

    private mutating func append(fixed value: some FixedWidthInteger) {
        begin(length: value.bitWidth / 8)
        elements.append(bigEndian: value)
    }

    private mutating func begin(length: Int) {
        count += 1
        elements.append(bigEndian: Int32(length))
    }

    /// Appends the array's binary form to `bytes`.
    func encode(into bytes: inout [UInt8]) {
        bytes.append(bigEndian: Int32(count == 0 ? 0 : 1))
        bytes.append(bigEndian: Int32(hasNulls ? 1 : 0))
        bytes.append(bigEndian: type.rawValue)
        guard count > 0 else { return }
        bytes.append(bigEndian: Int32(count))
        bytes.append(bigEndian: Int32(1))
        bytes.append(contentsOf: elements)
    }
}
