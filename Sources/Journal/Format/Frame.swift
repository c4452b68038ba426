import Cryptography
import SystemPackage

/// The first 64 bytes of a frame (Format.md, "Frame").
struct FrameHeader: Equatable, Sendable {
    /// The records with their lengths, without padding.
    var bodyBytes: Int
    var count: Int
    /// The sequence of the first record; for an idle marker, the sequence of the next record.
    var firstSequence: UInt64
    var chain: ChainValue
    /// CRC32C of everything after the header, padding included.
    var bodyChecksum: UInt32

    /// Size of header, body and padding.
    var frameBytes: Int { Self.frameBytes(body: bodyBytes) }
    /// The sequence after the last record.
    var endSequence: UInt64 { firstSequence + UInt64(count) }
    var isIdleMarker: Bool { count == 0 }

    static func frameBytes(body: Int) -> Int {
        Format.roundedToSector(Format.frameHeaderBytes + body)
    }

    /// Fills the first 64 bytes of `frame`.
    func encode(into frame: UnsafeMutableRawBufferPointer, salt: Salt) {
        frame.store(littleEndian: Format.frameMagic, at: 0)
        frame.store(littleEndian: salt.stamp, at: 4)
        frame.store(littleEndian: UInt32(bodyBytes), at: 8)
        frame.store(littleEndian: UInt32(count), at: 12)
        frame.store(littleEndian: firstSequence, at: 16)
        chain.store(to: frame, at: 24)
        frame.store(littleEndian: bodyChecksum, at: 56)
        frame.store(
            littleEndian: Self.checksum(UnsafeRawBufferPointer(frame), salt: salt), at: 60)
    }

    /// Reads 64 bytes; nil unless they are a header that was written for this segment.
    static func decode(_ bytes: UnsafeRawBufferPointer, salt: Salt) -> FrameHeader? {
        guard bytes.count >= Format.frameHeaderBytes,
            bytes.littleEndian(UInt32.self, at: 0) == Format.frameMagic,
            bytes.littleEndian(UInt32.self, at: 4) == salt.stamp,
            bytes.littleEndian(UInt32.self, at: 60) == checksum(bytes, salt: salt)
        else { return nil }
        return FrameHeader(
            bodyBytes: Int(bytes.littleEndian(UInt32.self, at: 8)),
            count: Int(bytes.littleEndian(UInt32.self, at: 12)),
            firstSequence: bytes.littleEndian(at: 16),
            chain: ChainValue(bytes, at: 24),
            bodyChecksum: bytes.littleEndian(at: 56))
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, salt: Salt) -> UInt32 {
        CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<60]), seed: salt.seed)
    }
}

/// A frame that is being built: records are appended, then it is sealed and written without another
/// copy.
struct FrameBuilder {
    /// The header (filled by `seal`), the body, and after `seal` the padding.
    private(set) var bytes: [UInt8]
    private(set) var count = 0

    init() { bytes = [UInt8](repeating: 0, count: Format.frameHeaderBytes) }

    var bodyBytes: Int { bytes.count - Format.frameHeaderBytes }

    /// Appends a record, which `encode` appends to the bytes it is given, and returns its length.
    /// `encode` must only append.
    @discardableResult
    mutating func append(_ encode: (inout [UInt8]) -> Void) -> Int {
        let start = bytes.count
        bytes.append(contentsOf: [0, 0, 0, 0])
        encode(&bytes)
        let length = bytes.count - start - Format.recordHeaderBytes
        precondition(length >= 0, "a record's encoder removed bytes that were not its own")
        bytes.withUnsafeMutableBytes { $0.store(littleEndian: UInt32(length), at: start) }
        count += 1
        return length
    }

    /// Removes the last record, which has `length` bytes.
    mutating func removeLast(length: Int) {
        bytes.removeLast(length + Format.recordHeaderBytes)
        count -= 1
    }

    /// Removes the records after the first `count`, which end at `end` in `bytes`.
    mutating func removeRecords(after count: Int, endingAt end: Int) {
        bytes.removeLast(bytes.count - end)
        self.count = count
    }

    /// Pads the frame and fills its header.
    mutating func seal(firstSequence: UInt64, chain: ChainValue, salt: Salt) {
        let body = bodyBytes
        let padding = FrameHeader.frameBytes(body: body) - bytes.count
        bytes.append(contentsOf: repeatElement(0, count: padding))
        let count = count
        bytes.withUnsafeMutableBytes { frame in
            let rest = UnsafeRawBufferPointer(rebasing: frame[Format.frameHeaderBytes...])
            FrameHeader(
                bodyBytes: body, count: count, firstSequence: firstSequence, chain: chain,
                bodyChecksum: CRC32C.checksum(rest)
            ).encode(into: frame, salt: salt)
        }
    }

    /// Passes the sealed frame to `body`.
    func write(_ body: (UnsafeRawBufferPointer) throws(Errno) -> Void) throws(Errno) {
        let failure: Errno? = bytes.withUnsafeBytes { buffer in
            do throws(Errno) { try body(buffer) } catch { return error }
            return nil
        }
        if let failure { throw failure }
    }

    /// Discards the records and keeps the memory.
    mutating func reset() {
        bytes.removeLast(bytes.count - Format.frameHeaderBytes)
        count = 0
    }
}
