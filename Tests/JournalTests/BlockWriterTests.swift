import Platform
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Journal

/// Segments are written in whole blocks: the bytes that this leaves on the disk, and the calls to
/// the kernel.
@Suite struct BlockWriterTests {
    /// Keeps the writes and their offsets.
    private final class Notebook: StorageFile {
        struct Content {
            var bytes: [UInt8]
            var writes: [Range<Int>] = []
            var isBypassed = false
            var isBypassedWrite: [Bool] = []
            var misalignedMemory = 0
        }

        let content: Mutex<Content>

        init(_ bytes: [UInt8]) { content = Mutex(Content(bytes: bytes)) }

        func bytes() throws(Errno) -> Int { content.withLock { $0.bytes.count } }
        func identity() throws(Errno) -> FileIdentity { FileIdentity(device: 0, inode: 0) }
        func lock() throws(Errno) {}
        func unlock() {}

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int {
            content.withLock { content in
                let piece = content.bytes.dropFirst(offset).prefix(buffer.count)
                buffer.copyBytes(from: piece)
                return piece.count
            }
        }

        func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Errno) -> Int {
            let isMisaligned = Int(bitPattern: bytes.baseAddress) % BlockWriter.blockBytes != 0
            let piece = Bytes.copy(bytes)
            return content.withLock { content in
                content.writes.append(offset..<offset + piece.count)
                content.isBypassedWrite.append(content.isBypassed)
                content.misalignedMemory += isMisaligned ? 1 : 0
                let missing = offset + piece.count - content.bytes.count
                content.bytes += Bytes.zeros(max(0, missing))
                content.bytes.replaceSubrange(offset..<offset + piece.count, with: piece)
                return piece.count
            }
        }

        func bypassCache(_ isBypassed: Bool) {
            content.withLock { $0.isBypassed = isBypassed }
        }

        func allocate(_ bytes: Int) throws(Errno) {}
        func fdatasync() throws(Errno) {}
        func fsync() throws(Errno) {}
    }

    /// Opens only its one file.
    private struct OneFile: Storage {
        let file: Notebook
        func open(_ path: String, for use: FileUse) throws(Errno) -> any StorageFile { file }
        func lock(_ path: String) throws(Errno) -> any StorageFile { file }
        func lockDirectory(_ path: String) throws(Errno) -> any LockedDirectory {
            throw .notSupported
        }
        func identity(of path: String) throws(Errno) -> FileIdentity { try file.identity() }
        func makeDirectory(_ path: String) throws(Errno) {}
        func list(_ directory: String) throws(Errno) -> [String] { [] }
        func rename(_ path: String, to newPath: String) throws(Errno) {}
        func link(_ path: String, to newPath: String) throws(Errno) {}
        func unlink(_ path: String) throws(Errno) {}
        func fsyncDirectory(_ path: String) throws(Errno) {}
        func bytesAvailable(_ directory: String) throws(Errno) -> Int { 0 }
        let clock: any Clock = LeapingClock()
        func randomBits() -> UInt64 { 0 }
    }

    private static func append(_ bytes: [UInt8], to blocks: BlockWriter) throws {
        try bytes.withUnsafeBytes { try blocks.append($0) }
    }

    /// Pieces of every length around a block, and one longer than a single write.
    private static let pieces: [[UInt8]] = [512, 3584, 4096, 512, 8192, 1024, 600 << 10, 512, 2048]
        .enumerated().map { [UInt8](repeating: UInt8($0 + 1), count: $1) }

    @Test func `the file holds the pieces behind each other and zeros`() throws {
        let fileBytes = 700 << 10
        let file = Notebook(Bytes.zeros(fileBytes))
        let blocks = BlockWriter(file, fileBytes: fileBytes)
        for piece in Self.pieces { try Self.append(piece, to: blocks) }
        let written = Self.pieces.flatMap(\.self)
        #expect(blocks.offset == written.count)
        let content = file.content.withLock { $0 }
        #expect(content.bytes == written + Bytes.zeros(fileBytes - written.count))
        for range in content.writes {
            #expect(range.lowerBound % BlockWriter.blockBytes == 0)
            #expect(range.count % BlockWriter.blockBytes == 0)
        }
    }

    @Test func `who goes on keeps what stands before in the block`() throws {
        for offset in [512, 4096, 4608, 7680] {
            let old = (0..<offset).map { UInt8(1 + $0 % 251) }
            let file = Notebook(old + Bytes.zeros(12288 - offset))
            let blocks = BlockWriter(file, fileBytes: 12288)
            try blocks.seek(to: offset)
            let new = [UInt8](repeating: 255, count: 1536)
            try Self.append(new, to: blocks)
            let expected = old + new + Bytes.zeros(12288 - offset - 1536)
            #expect(file.content.withLock { $0.bytes } == expected, "at \(offset)")
        }
    }

    @Test func `nothing is written behind the end of a file that ends within a block`() throws {
        let file = Notebook(Bytes.zeros(5120))
        let blocks = BlockWriter(file, fileBytes: 5120)
        try Self.append([UInt8](repeating: 7, count: 4608), to: blocks)
        #expect(file.content.withLock { $0.bytes.count } == 5120)
    }

    @Test func `a block that cannot be read is an error`() {
        let blocks = BlockWriter(Notebook(Bytes.zeros(100)), fileBytes: 8192)
        #expect(throws: Errno.ioError) { try blocks.seek(to: 512) }
    }

    @Test func `the zeros of a new segment go past the page cache and nothing else does`() throws {
        let file = Notebook([])
        var options = JournalOptions()
        options.segmentBytes = 17 << 20
        _ = try SegmentPreparation.prepare("prepared", storage: OneFile(file: file), options)
        let content = file.content.withLock { $0 }
        #expect(content.bytes.count == options.segmentBytes)
        #expect(content.isBypassedWrite == .init(repeating: true, count: 34))
        #expect(content.misalignedMemory == 0)
        #expect(!content.isBypassed)
    }

    /// A write that no file system accepts past its cache: memory, offset and length are not
    /// aligned.
    @Test func `a write that the kernel refuses goes through the cache`() throws {
        let directory = TemporaryFolder()
        let file = try PosixStorage().open(directory.path + "/file", for: .creating)
        file.bypassCache(true)
        try file.writeAll([1, 2, 3], at: 1)
        var read = [UInt8](repeating: 9, count: 4)
        #expect(try file.readAll(&read, at: 0) == 4)
        #expect(read == [0, 1, 2, 3])
    }
}
