import SystemPackage

/// Writes a segment from its beginning to its end in whole blocks.
///
/// The zeros that stand in a new segment are not in the page cache, and the kernel reads a block
/// from the disk before it changes a part of it. So the block that is not full yet is kept here and
/// written again, with the same bytes, in front of what comes next; behind the last byte it is
/// filled with zeros, which is what is there.
///
/// It belongs to the writer's thread.
final class BlockWriter {
    /// A page of the cache, and a block of nearly every file system and device.
    static let blockBytes = 4096
    /// What is written at once: more than the frame of an ordinary batch.
    private static let capacity = 256 << 10

    /// Where the next byte goes.
    private(set) var offset = 0
    private let file: any StorageFile
    private let fileBytes: Int
    private let memory = UnsafeMutableRawBufferPointer.allocate(
        byteCount: capacity, alignment: blockBytes)
    /// How many bytes of the block that is not full yet lie at the beginning of `memory`.
    private var kept = 0

    /// Begins at the beginning of `file`, which is full of zeros.
    init(_ file: any StorageFile, fileBytes: Int) {
        self.file = file
        self.fileBytes = fileBytes
    }

    deinit { memory.deallocate() }

    /// Goes on at `offset` of what an earlier process has written.
    func seek(to offset: Int) throws(Errno) {
        let before = offset % Self.blockBytes
        let block = UnsafeMutableRawBufferPointer(rebasing: memory[..<Self.blockBytes])
        let count = try file.readAll(into: block, at: offset - before)
        guard count >= before else { throw .ioError }
        self.offset = offset
        kept = before
    }

    /// Writes `bytes` behind what is there.
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

    /// Fills the last block with zeros, if the file goes on that far, and gives the bytes to write.
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
