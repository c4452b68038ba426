/// The names of an object's members, in the order in which `RecordEncoder` writes them; or other
/// words of the schema.
///
/// A search begins after the member that was found last. Records of our own writing are in that
/// order, so the first comparisons find nearly every name.
struct MemberTable<Member: CaseIterable & Sendable>: Sendable {
    private let names: [MemberName]
    private let members: [Member]

    /// A table of all members. No name is longer than `MemberName.bytesMax`.
    init(_ name: (Member) -> String) {
        members = Array(Member.allCases)
        names = members.map { MemberName(name($0)) }
    }

    /// Returns the member of this name, or nil when the schema has none.
    ///
    /// - Parameter next: The place to search first; afterwards the place after the found member.
    func find(_ name: MemberName, from next: inout Int) -> Member? {
        for place in next..<names.count where names[place] == name {
            next = place + 1
            return members[place]
        }
        for place in 0..<next where names[place] == name {
            next = place + 1
            return members[place]
        }
        return nil
    }
}

extension MemberTable where Member: RawRepresentable, Member.RawValue == String {
    init() { self.init(\.rawValue) }
}

/// A member's name of at most 16 bytes, in a form that compares in two steps.
struct MemberName: Equatable, Sendable, BitwiseCopyable {
    /// Longest name of a member of the schema, in bytes.
    static let bytesMax = 16

    /// The first eight bytes, or all of fewer.
    private let head: UInt64
    /// The last eight bytes; 0 of fewer.
    private let tail: UInt64
    private let count: Int

    init(_ name: String) {
        let bytes = Array(name.utf8)
        self = bytes.withUnsafeBytes { MemberName($0, at: 0..<bytes.count) }
    }

    /// The name at `place` in `text`. One that is too long equals no member's.
    @inline(__always)
    init(_ text: UnsafeRawBufferPointer, at place: Range<Int>) {
        count = place.count
        if count >= 8 {
            head = text.loadUnaligned(fromByteOffset: place.lowerBound, as: UInt64.self)
            tail = text.loadUnaligned(fromByteOffset: place.upperBound - 8, as: UInt64.self)
        } else if place.lowerBound + 8 <= text.count {
            let word = text.loadUnaligned(fromByteOffset: place.lowerBound, as: UInt64.self)
            head = UInt64(littleEndian: word) & (1 << (8 * UInt64(count)) - 1)
            tail = 0
        } else {
            head = text[place].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            tail = 0
        }
    }
}
