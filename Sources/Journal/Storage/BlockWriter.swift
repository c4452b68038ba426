import SystemPackage

/// Writes a segment from start to end in whole blocks.
///
/// The zeros of a new segment are not in the page cache, and the kernel reads a block from the disk
/// before it changes a part of it. So the last, incomplete block is kept here and written again,
/// with the same bytes, before the next ones. After the last byte the block is filled with zeros,
/// which is the existing content.
///
/// It belongs to the writer's thread.
final class BlockWriter {
    /// The size of a page of the cache, and of a block of nearly every file system and device.
    static let blockBytes = 4096
    /// Maximum number of bytes of one write: more than the frame of an ordinary batch.
    private static let capacity = 256 << 10

    /// The offset of the next byte.
    private(set) var offset = 0
    private let file: any StorageFile
    private let fileBytes: Int
    private let memory = UnsafeMutableRawBufferPointer.allocate(
        byteCount: capacity, alignment: blockBytes)
    /// Number of bytes of the incomplete block, at the beginning of `memory`.
    private var kept = 0

    /// Starts at offset 0 of `file`, which is full of zeros.
    init(_ file: any StorageFile, fileBytes: Int) {
        self.file = file
        self.fileBytes = fileBytes
    }

    deinit { memory.deallocate() }

    /// Continues at `offset` of a file that an earlier process wrote.
    func seek(to offset: Int) throws(Errno) {
        let before = offset % Self.blockBytes
        let block = UnsafeMutableRawBufferPointer(rebasing: memory[..<Self.blockBytes])
        let count = try file.readAll(into: block, at: offset - before)
        guard count >= before else { throw .ioError }
        self.offset = offset
        kept = before
    }

    /// Writes `bytes` after the existing ones.
    func append(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let start = offset - kept
            let piece = rest.prefix(memory.count - kept)
            UnsafeMutableRawBufferPointer(rebasing: memory[kept...]).copyBytes(from: piece)
            kept += piece.count
            let blocks = fillLastBlock(atMost: fileBytes - start)
            try file.writeAll(UnsafeRawBufferPointer(rebasing: memory[..<blocks]), at: start)
            keepLastBlock()
            offset += piece.count
            rest = rest.dropFirst(piece.count)
        }
    }

    /// Fills the last block with zeros, if the file is long enough, and returns the number of bytes
    /// to write.
    private func fillLastBlock(atMost room: Int) -> Int {
        let blocks = (kept + Self.blockBytes - 1) / Self.blockBytes
        let count = max(kept, min(blocks * Self.blockBytes, room))
        UnsafeMutableRawBufferPointer(rebasing: memory[kept..<count])
            .initializeMemory(as: UInt8.self, repeating: 0)
        return count
    }

    private func keepLastBlock() {
        let last = kept % Self.blockBytes
        memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[kept - last..<kept]))
        kept = last
    }
}
