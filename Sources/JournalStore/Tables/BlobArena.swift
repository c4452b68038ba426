/// One shard's encoded orders: byte blobs in chunks of 16 KiB, with free lists by size class.
///
/// An object per order would cost more than the order itself (16 bytes of header, the allocator's
/// rounding, a pointer); here a blob costs its bytes, a length of one to three bytes and the
/// rounding up to eight. Freed blocks are chained through their first four bytes, one list a class,
/// so an order that grows leaves its old place to the next one of that size. Chunks never move, and
/// a snapshot shares them until they are next written.
struct BlobArena: Sendable, Equatable {
    /// The place of a blob: chunk number (high 21 bits) and offset within it in units of eight
    /// bytes. Never 0.
    typealias Address = UInt32

    private(set) var chunks: [[UInt8]] = []
    /// Units handed out of the last common chunk, and which one that is.
    private(set) var used = Self.unitsPerChunk
    private(set) var current = -1
    /// The first free block of each class, 0 where there is none.
    private(set) var free: [Address]

    private static let unit = 8
    private static let unitBits: UInt32 = 11
    private static let unitsPerChunk = 1 << 11
    /// A Swift array's header is 32 bytes: together they fill whole pages. The last units stay
    /// unused.
    private static let chunkBytes = unitsPerChunk * unit - 32
    private static let lengthBytesMax = 4

    init() { free = [Address](repeating: 0, count: SizeClass.count) }

    /// An arena as a snapshot holds it; nil when the parts cannot be one.
    init?(chunks: [[UInt8]], used: Int, current: Int, free: [Address]) {
        guard free.count == SizeClass.count, current < chunks.count, used >= 0,
            used <= Self.unitsPerChunk, current >= -1
        else { return nil }
        self.chunks = chunks
        self.used = used
        self.current = current
        self.free = free
    }

    /// Returns the bytes of a blob. Do not keep the slice while the arena is written: the chunk
    /// would be copied.
    func bytes(at address: Address) -> ArraySlice<UInt8> {
        let chunk = Int(address >> Self.unitBits)
        let start = Self.offset(address)
        let (length, width) = Self.length(in: chunks[chunk], at: start)
        return chunks[chunk][start + width..<start + width + length]
    }

    /// Reads the place where the next new blob goes, so that it is in the processor's cache.
    func prefetch() -> UInt8 {
        guard current >= 0 else { return 0 }
        let chunk = chunks[current]
        return chunk[min(used * Self.unit, chunk.count - 1)]
    }

    /// Stores a blob and returns its address.
    mutating func insert(_ blob: [UInt8]) -> Address {
        let width = Self.lengthWidth(blob.count)
        let address = allocate(width + blob.count)
        write(blob, width: width, at: address)
        return address
    }

    /// Replaces a blob, which moves only when the size class changes. Returns the new address.
    mutating func replace(_ address: Address, with blob: [UInt8]) -> Address {
        let width = Self.lengthWidth(blob.count)
        if SizeClass(bytes: blockBytes(at: address)) == SizeClass(bytes: width + blob.count) {
            write(blob, width: width, at: address)
            return address
        }
        remove(address)
        return insert(blob)
    }

    /// Writes `part` over as many bytes of a blob.
    mutating func overwrite(_ address: Address, at offset: Int, with part: [UInt8]) {
        let chunk = Int(address >> Self.unitBits)
        let start = Self.offset(address)
        let (length, width) = Self.length(in: chunks[chunk], at: start)
        precondition(offset + part.count <= length)
        for (index, byte) in part.enumerated() {
            chunks[chunk][start + width + offset + index] = byte
        }
    }

    /// Frees a blob's place.
    mutating func remove(_ address: Address) {
        let sizeClass = SizeClass(bytes: blockBytes(at: address))
        guard let list = sizeClass.list else {
            // A separate chunk: only the array is freed, its number stays in use.
            chunks[Int(address >> Self.unitBits)] = []
            return
        }
        let chunk = Int(address >> Self.unitBits)
        let start = Self.offset(address)
        let next = free[list]
        for index in 0..<4 {
            chunks[chunk][start + index] = UInt8(truncatingIfNeeded: next >> (8 * index))
        }
        free[list] = address
    }

    private mutating func allocate(_ byteCount: Int) -> Address {
        let sizeClass = SizeClass(bytes: byteCount)
        guard let list = sizeClass.list else {
            chunks.append([UInt8](repeating: 0, count: sizeClass.bytes))
            return Self.address(chunk: chunks.count - 1, unit: 1)
        }
        if free[list] != 0 {
            let address = free[list]
            let chunk = Int(address >> Self.unitBits)
            let start = Self.offset(address)
            free[list] = (0..<4).reduce(0) { $0 | UInt32(chunks[chunk][start + $1]) << (8 * $1) }
            return address
        }
        let units = sizeClass.bytes / Self.unit
        if current < 0 || (used + units) * Self.unit > Self.chunkBytes {
            chunks.append([UInt8](repeating: 0, count: Self.chunkBytes))
            current = chunks.count - 1
            used = 0
        }
        // Unit numbers start at 1, so that no address is 0.
        let address = Self.address(chunk: current, unit: used + 1)
        used += units
        return address
    }

    private mutating func write(_ blob: [UInt8], width: Int, at address: Address) {
        let start = Self.offset(address)
        chunks[Int(address >> Self.unitBits)].withUnsafeMutableBytes { chunk in
            var length = blob.count
            for index in 0..<width {
                chunk[start + index] = UInt8(length & 0x7f) | (index + 1 < width ? 0x80 : 0)
                length >>= 7
            }
            // One copy in place of a byte at a time: this runs for every record.
            let target = UnsafeMutableRawBufferPointer(rebasing: chunk[(start + width)...])
            blob.withUnsafeBytes { target.copyMemory(from: $0) }
        }
    }

    private func blockBytes(at address: Address) -> Int {
        let (length, width) = Self.length(
            in: chunks[Int(address >> Self.unitBits)], at: Self.offset(address))
        return length + width
    }

    private static func address(chunk: Int, unit: Int) -> Address {
        precondition(chunk < 1 << (32 - unitBits), "32 GiB of orders in one shard")
        return UInt32(chunk) << unitBits | UInt32(unit)
    }

    private static func offset(_ address: Address) -> Int {
        Int(address & (1 << unitBits - 1)) * unit - unit
    }

    private static func lengthWidth(_ length: Int) -> Int {
        precondition(length < 1 << 28)
        var width = 1
        while length >> (7 * width) > 0 { width += 1 }
        return width
    }

    private static func length(in chunk: [UInt8], at start: Int) -> (length: Int, width: Int) {
        var length = 0
        var width = 0
        while true {
            let byte = chunk[start + width]
            length |= Int(byte & 0x7f) << (7 * width)
            width += 1
            if byte & 0x80 == 0 || width == lengthBytesMax { return (length, width) }
        }
    }
}

/// The block sizes of an arena: every multiple of eight up to 256 bytes, then steps of an eighth,
/// so that an order with many events wastes little either; beyond `blockBytesMax` a blob gets a
/// separate chunk.
struct SizeClass: Sendable, Equatable {
    /// Bytes that a block of this class takes.
    let bytes: Int
    /// Its free list; nil when the blob has a separate chunk.
    let list: Int?

    /// A quarter of a chunk: the tail that a new chunk leaves unused stays small.
    static let blockBytesMax = 4096
    static let count = 32 + 4 * 8

    /// The class for a block of `bytes` bytes.
    init(bytes: Int) {
        if bytes <= 256 {
            let units = max(1, (bytes + 7) / 8)
            self.bytes = units * 8
            list = units - 1
        } else if bytes <= Self.blockBytesMax {
            // bytes lies in (2^power, 2^(power + 1)], cut into eight equal steps.
            let power = Int.bitWidth - 1 - (bytes - 1).leadingZeroBitCount
            let step = 1 << (power - 3)
            let index = (bytes - 1 - (1 << power)) / step
            self.bytes = 1 << power + (index + 1) * step
            list = 32 + (power - 8) * 8 + index
        } else {
            self.bytes = (bytes + 4095) & ~4095
            list = nil
        }
    }
}
