import Cryptography
import SystemPackage

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
