@testable import Journal

extension RecoveryTableTests {
    /// A fixture with bytes of one file changed.
    private static func edited(
        _ name: String, idle: Bool = false, _ change: @escaping @Sendable (inout [UInt8]) -> Void
    ) -> @Sendable () throws -> Fixture {
        {
            let fixture = try Fixture(idle: idle)
            fixture.edit(name, change)
            return fixture
        }
    }

    private static func zero(_ range: Range<Int>) -> @Sendable (inout [UInt8]) -> Void {
        { $0.replaceSubrange(range, with: Bytes.zeros(range.count)) }
    }

    private static func flip(_ offset: Int) -> @Sendable (inout [UInt8]) -> Void {
        { $0[offset] ^= 0x10 }
    }

    private static func forged(
        firstSequence: UInt64 = 17, chain: ChainValue? = nil,
        _ change: @escaping @Sendable (inout [UInt8], Salt) -> Void = { _, _ in }
    ) -> @Sendable () throws -> Fixture {
        {
            let fixture = try Fixture()
            fixture.forge(firstSequence: firstSequence, chain: chain, change)
            return fixture
        }
    }

    static let frameCases: [Case] =
        goodCases + sealedCases + tornCases + holeCases + forgedCases

    private static let goodCases = [
        Case(
            row: "F1", what: "a journal that was killed", make: { try Fixture() },
            outcome: .opens(records: 16)),
        Case(
            row: "F2", what: "a journal that was closed", make: { try Fixture(idle: true) },
            outcome: .opens(records: 16)),
        Case(
            row: "F2", what: "an idle marker that is gone",
            make: edited(third, idle: true, zero(end..<end + 512)), outcome: .opens(records: 16)),
    ]

    /// In a segment with a successor there is no torn tail.
    private static let sealedCases: [Case] = [first, second].flatMap { name in
        [
            sealed(name, "header", frame2 + 10, frame2),
            sealed(name, "chain value", frame2 + 30, frame2),
            sealed(name, "body", frame2 + 700, frame2),
            sealed(name, "padding", frame2 + 2047, frame2),
            sealed(name, "last frame", 5000, end),
            sealed(name, "tail", 7900, 6656),
        ]
    }

    private static func sealed(
        _ name: String, _ place: String, _ offset: Int, _ found: Int
    ) -> Case {
        Case(
            row: "F3", what: "a flipped bit in a \(place) of \(name)",
            make: edited(name, flip(offset)), outcome: .refuses(.frame, name, found))
    }

    /// The last frame, in the states that a power cut leaves.
    private static let tornCases: [Case] = [
        torn("only its header's sector", zero(frame2 + 512..<end)),
        torn("all but its header's sector", zero(frame2..<frame2 + 512)),
        torn("its last sector only", zero(frame2..<end - 512)),
        torn("its first and its last sector", zero(frame2 + 512..<end - 512)),
        torn("a sector in the middle only") { bytes in
            zero(frame2..<frame2 + 1024)(&bytes)
            zero(frame2 + 1536..<end)(&bytes)
        },
        torn("all but its last sector", zero(end - 512..<end)),
        torn("a flipped bit in the header", flip(frame2 + 20)),
        torn("a flipped bit in the body", flip(frame2 + 900)),
        Case(
            row: "F4", what: "a torn idle marker", make: edited(third, idle: true, flip(end + 3)),
            outcome: .opens(records: 16, torn: end)),
    ]

    private static func torn(
        _ what: String, _ change: @escaping @Sendable (inout [UInt8]) -> Void
    ) -> Case {
        Case(
            row: "F4", what: "the last frame: \(what)", make: edited(third, change),
            outcome: .opens(records: 14, torn: frame2))
    }

    private static func hole(
        _ what: String, _ change: @escaping @Sendable (inout [UInt8]) -> Void
    ) -> Case {
        Case(
            row: "F5", what: "a frame with another after it: \(what)", make: edited(third, change),
            outcome: .refuses(.frame, third, frame1))
    }

    private static let holeCases: [Case] = [
        hole("a flipped bit in the header", flip(frame1 + 10)),
        hole("a flipped bit in the body", flip(frame1 + 1000)),
        hole("a lost sector", zero(frame1 + 512..<frame1 + 1024)),
        hole("nothing but zeros", zero(frame1..<frame2)),
        Case(
            row: "F5", what: "the last frame of records, with an idle marker after it",
            make: edited(third, idle: true, flip(frame2 + 700)),
            outcome: .refuses(.frame, third, frame2)),
        Case(
            row: "F6", what: "bytes after a torn frame",
            make: edited(third) { bytes in
                flip(frame2 + 900)(&bytes)
                bytes[6000] = 1
            }, outcome: .refuses(.strayBytes, third, frame2)),
    ]

    private static let forgedCases: [Case] = [
        Case(
            row: "F7", what: "a frame longer than the segment",
            make: forged { frame, salt in
                reseal(&frame, salt) { $0.bodyBytes = 8000 }
            }, outcome: .refuses(.frameImpossible, third, end)),
        Case(
            row: "F7", what: "a body without records",
            make: forged { frame, salt in reseal(&frame, salt) { $0.count = 0 } },
            outcome: .refuses(.frameImpossible, third, end)),
        Case(
            row: "F8", what: "a frame out of turn", make: forged(firstSequence: 18),
            outcome: .refuses(.sequence, third, end)),
        Case(
            row: "F8", what: "a frame written twice",
            make: edited(third) { $0.replaceSubrange(end..<end + 2048, with: $0[frame2..<end]) },
            outcome: .refuses(.sequence, third, end)),
        Case(
            row: "F9", what: "a frame of another chain", make: forged(chain: .zero),
            outcome: .refuses(.chain, third, end)),
        Case(
            row: "F10", what: "two records said, one there",
            make: forged { frame, salt in reseal(&frame, salt) { $0.count = 2 } },
            outcome: .refuses(.records, third, end)),
    ]

    /// Writes another header with a right checksum.
    private static func reseal(
        _ frame: inout [UInt8], _ salt: Salt, _ change: (inout FrameHeader) -> Void
    ) {
        frame.withUnsafeMutableBytes { bytes in
            guard var header = FrameHeader.decode(UnsafeRawBufferPointer(bytes), salt: salt) else {
                return
            }
            change(&header)
            header.encode(into: bytes, salt: salt)
        }
    }
}
