import Glibc

/// Copies and comparisons by the C library: a debug build processes `Array` element by element, and
/// the simulation reads tens of thousands of journals.
enum Bytes {
    static func copy(_ source: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: source.count) { target, count in
            UnsafeMutableRawBufferPointer(target).copyMemory(from: source)
            count = source.count
        }
    }

    static func zeros(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { target, initialized in
            target.baseAddress.map { _ = memset($0, 0, count) }
            initialized = count
        }
    }

    static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && (left.isEmpty || memcmp(left, right, left.count) == 0)
    }

    static func areEqual(_ left: ArraySlice<[UInt8]>, _ right: ArraySlice<[UInt8]>) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { areEqual($0, $1) }
    }
}
