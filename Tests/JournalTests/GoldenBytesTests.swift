import TestSupport
import Testing

@testable import Journal

/// The bytes of Format.md, made by an independent program (Python's hashlib and a bitwise CRC32C)
/// from the page alone.
@Suite struct GoldenBytesTests {
    static let salt = Salt(seed: 0x0123_4567, stamp: 0x89ab_cdef)

    static let segmentHeader = bytes(
        "49504e4453454700 01000000 00000000 0100000000000000 0100000000000000 67452301 efcdab89"
            + "00305f018b600600", zeros: 32, "0020000000000000 00112233445566778899aabbccddeeff",
        zeros: 404, "4e98c0cf")
    static let frame = bytes(
        "49504e46 efcdab89 1a000000 03000000 0100000000000000"
            + "aeccf4ddd71330e4d36b6f0bf14ec6848bd0c682cac9b2b87a87fcc05a012906 7e01cedb b3240a00"
            + "07000000 7b2261223a317d 00000000 07000000 7b2262223a327d", zeros: 422, "")
    static let idleMarker = bytes(
        "49504e46 efcdab89 00000000 00000000 0400000000000000"
            + "0e85701c3c8dae9067c1532a40238ec7deebb6c552d4b15485b76f149b7c15a0 3862d733 0fae3c96",
        zeros: 448, "")
    static let snapshot = bytes(
        "49504e44534e5000 01000000 00000000 0300000000000000"
            + "0e85701c3c8dae9067c1532a40238ec7deebb6c552d4b15485b76f149b7c15a0 00305f018b600600"
            + "00112233445566778899aabbccddeeff",
        zeros: 428,
        "c25d66e3 49504e43 01000000 06000000 725eb723 6f7264657273"
            + "49504e43 02000000 00000000 a51ec7fc"
            + "49504e43 ffffffff 08000000 98dc3fc4 0200000000000000")

    private static func bytes(_ first: String, zeros: Int, _ last: String) -> [UInt8] {
        hexadecimal(first) + [UInt8](repeating: 0, count: zeros) + hexadecimal(last)
    }

    private static func bytes(
        _ first: String, zeros: Int, _ second: String, zeros moreZeros: Int, _ last: String
    ) -> [UInt8] {
        bytes(first, zeros: zeros, second) + bytes("", zeros: moreZeros, last)
    }

    /// Ignores spaces, which only separate the fields.
    private static func hexadecimal(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] * 16 + digits[$0 + 1])
        }
    }

    private static func hash(_ block: [UInt8]) -> ChainValue {
        block.withUnsafeBytes { ChainValue(hashing: $0) }
    }

    static let identity = hexadecimal("00112233445566778899aabbccddeeff").withUnsafeBytes {
        StoreIdentity($0, at: 0)
    }
    static let header = SegmentHeader(
        number: 1, firstSequence: 1, salt: salt, created: 1_795_000_000_000_000, chain: .zero,
        segmentBytes: 8192, store: identity)

    @Test func `a segment header has its bytes`() {
        #expect(Self.header.encoded() == Self.segmentHeader)
        let decoded = Self.segmentHeader.withUnsafeBytes { SegmentHeader.decode($0) }
        #expect(decoded == .success(Self.header))
    }

    @Test func `a frame has its bytes`() {
        var builder = FrameBuilder()
        for record in [#"{"a":1}"#, "", #"{"b":2}"#] {
            builder.append { $0.append(contentsOf: record.utf8) }
        }
        builder.seal(firstSequence: 1, chain: Self.hash(Self.segmentHeader), salt: Self.salt)
        #expect(builder.bytes == Self.frame)
    }

    @Test func `an idle marker has its bytes and makes the chain head`() {
        var builder = FrameBuilder()
        builder.seal(firstSequence: 4, chain: Self.hash(Self.frame), salt: Self.salt)
        #expect(builder.bytes == Self.idleMarker)
        #expect(
            Self.hash(builder.bytes).description
                == "1174972d4d695935cabbe68a634ec5d2ef53888f59a649fea7af678b42ece520")
    }

    @Test func `a frame is read back`() {
        let segment = Self.frame + Self.idleMarker
        segment.withUnsafeBytes { bytes in
            guard
                case .frame(let header) = FrameDecoder.judge(
                    bytes, room: bytes.count, salt: Self.salt)
            else {
                Issue.record("no frame")
                return
            }
            #expect(header.count == 3 && header.bodyBytes == 26 && header.frameBytes == 512)
            var records: [String] = []
            let body = UnsafeRawBufferPointer(rebasing: bytes[64..<90])
            let addsUp = FrameDecoder.forEachRecord(of: body, count: 3) {
                records.append(String(decoding: $1, as: UTF8.self))
            }
            #expect(addsUp && records == [#"{"a":1}"#, "", #"{"b":2}"#])
        }
    }

    @Test func `every flipped bit of a frame is found`() {
        for position in 0..<Self.frame.count {
            var frame = Self.frame
            frame[position] ^= 1 << UInt8(position % 8)
            let finding = frame.withUnsafeBytes {
                FrameDecoder.judge($0, room: 512, salt: Self.salt)
            }
            #expect(finding == .fault(position < 64 ? .header : .body(frameBytes: 512)))
        }
    }

    @Test func `a snapshot has its bytes and is read back`() throws {
        let directory = TemporaryFolder()
        let storage = FixedTimeStorage(time: 1_795_000_000_000_000)
        let point = SnapshotPoint(sequence: 3, chain: Self.hash(Self.frame))
        let writer = try SnapshotWriter(
            directory: directory.path, storage: storage, point: point, store: Self.identity)
        try writer.append(section: 1, Array("orders".utf8))
        try writer.append(section: 2, [])
        try writer.finish()
        #expect(try directory.content("0000000003.snapshot") == Self.snapshot)
        let snapshot = try #require(try SnapshotFile.newestGood(directory: directory.path))
        #expect(snapshot.point == point && snapshot.created == 1_795_000_000_000_000)
        #expect(snapshot.store == Self.identity)
        var chunks: [String] = []
        try snapshot.forEachChunk { chunks.append("\($0) \(String(decoding: $1, as: UTF8.self))") }
        #expect(chunks == ["1 orders", "2 "])
    }

    @Test func `every flipped byte of a snapshot is found`() throws {
        let fixture = try JournalFixture()
        let name = "0000000003.snapshot"
        func isGood(_ bytes: [UInt8]) throws -> Bool {
            fixture[name] = bytes
            let found = try SnapshotFile.newestGood(
                directory: CrashWorkload.directory, storage: fixture.storage)
            return found != nil
        }
        #expect(try isGood(Self.snapshot))
        for position in 0..<Self.snapshot.count {
            var damaged = Self.snapshot
            damaged[position] ^= 0x40
            #expect(try !isGood(damaged), "byte \(position)")
        }
        for shorter in [0, 100, 512, 530, Self.snapshot.count - 1] {
            #expect(try !isGood(Array(Self.snapshot.prefix(shorter))))
        }
        #expect(try !isGood(Self.snapshot + [0]))
    }
}
