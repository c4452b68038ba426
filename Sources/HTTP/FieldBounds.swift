/// Where a field line's name and value stand in the bytes of its section.
struct FieldBounds: Sendable {
    // 32 bits keep a section's table in one or two cache lines; sections are limited to far less.
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
