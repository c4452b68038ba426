import Cryptography
import Platform
import SystemPackage

@testable import Journal

// Fuzzes the journal with any file as its only segment. Reader, verifier and recovery end with the
// same verdict for every read window. Then the same with every checksum and link corrected as far
// as the frames can be followed, so that the code after the checksums is tested too.

/// A directory of one segment.
private final class FuzzStorage: Storage, @unchecked Sendable {
    // @unchecked Sendable: the fuzzer has one thread, and the writer prepares no segment ahead.
    var files: [String: FuzzFile]

    init(_ bytes: [UInt8]) {
        let number =
            bytes.count < 32 ? 1 : bytes.withUnsafeBytes { $0.littleEndian(UInt64.self, at: 24) }
        files = ["j/\(Format.segmentName(firstSequence: number))": FuzzFile(bytes)]
    }

    func open(_ path: String, for use: FileUse) throws(Errno) -> any StorageFile {
        if use == .creating { files[path] = FuzzFile([]) }
        guard let file = files[path] else { throw .noSuchFileOrDirectory }
        return file
    }

    func list(_ directory: String) throws(Errno) -> [String] {
        files.keys.filter { $0.hasPrefix(directory + "/") }.map { String($0.dropFirst(2)) }
    }

    func unlink(_ path: String) throws(Errno) { files[path] = nil }

    func rename(_ path: String, to newPath: String) throws(Errno) {
        files[newPath] = files.removeValue(forKey: path)
    }

    func lock(_ path: String) throws(Errno) -> any StorageFile { FuzzFile([]) }
    func lockDirectory(_ path: String) throws(Errno) -> any LockedDirectory {
        FuzzDirectory(storage: self)
    }
    func identity(of path: String) throws(Errno) -> FileIdentity {
        let isDirectory = path == "j"
        return FileIdentity(device: 0, inode: isDirectory ? 0 : 1)
    }
    func makeDirectory(_ path: String) throws(Errno) {}
    func link(_ path: String, to newPath: String) throws(Errno) { files[newPath] = files[path] }
    func fsyncDirectory(_ path: String) throws(Errno) {}
    func bytesAvailable(_ directory: String) throws(Errno) -> Int { 1 << 30 }
    var clock: any Clock { StillClock() }
    func randomBits() -> UInt64 { 1 }
}

/// A clock that never advances, so that a file always gives the same run.
private struct StillClock: Clock {
    var now: MonotonicTime { MonotonicTime(nanoseconds: 1000) }
    var wallMicroseconds: Int64 { 1 }
    var coarseWallSeconds: Int { 0 }
    func sleep(until deadline: MonotonicTime) async throws {}
    func kernelTime(of deadline: MonotonicTime) -> MonotonicTime { deadline }
    func onMove(_ wake: @escaping @Sendable () -> Void) -> (any Sendable & AnyObject)? { nil }
}

private final class FuzzDirectory: LockedDirectory {
    let storage: any Storage
    let identity = FileIdentity(device: 0, inode: 0)

    init(storage: FuzzStorage) { self.storage = storage }

    func unlock() {}
}

private final class FuzzFile: StorageFile, @unchecked Sendable {
    var content: [UInt8]

    init(_ content: [UInt8]) { self.content = content }

    func bytes() throws(Errno) -> Int { content.count }
    func identity() throws(Errno) -> FileIdentity { FileIdentity(device: 0, inode: 1) }
    func lock() throws(Errno) {}
    func unlock() {}

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int {
        guard offset < content.count else { return 0 }
        let end = min(content.count, offset + buffer.count)
        content.withUnsafeBytes { buffer.copyMemory(from: .init(rebasing: $0[offset..<end])) }
        return end - offset
    }

    func write(_ source: UnsafeRawBufferPointer, at offset: Int) throws(Errno) -> Int {
        if content.count < offset + source.count {
            content += [UInt8](repeating: 0, count: offset + source.count - content.count)
        }
        content.replaceSubrange(offset..<(offset + source.count), with: source)
        return source.count
    }

    func allocate(_ count: Int) throws(Errno) {}
    func fdatasync() throws(Errno) {}
    func fsync() throws(Errno) {}
}

/// The result of one reader.
private struct Verdict: Equatable {
    var sequences: [UInt64] = []
    var records: [[UInt8]] = []
    var reason: String?

    mutating func add(_ sequence: UInt64, _ record: UnsafeRawBufferPointer) {
        if let last = sequences.last { precondition(sequence == last + 1) }
        sequences.append(sequence)
        records.append(Array(record))
    }
}

private func options(_ windowBytes: Int) -> JournalOptions {
    var options = JournalOptions()
    options.windowBytes = windowBytes
    options.preparesInBackground = false
    return options
}

private func verdict(_ body: (inout Verdict) throws -> Void) -> Verdict {
    var verdict = Verdict()
    do { try body(&verdict) } catch let error as JournalError {
        verdict.reason = error.reason
    } catch {
        preconditionFailure("an error of another kind")
    }
    return verdict
}

private func read(_ storage: FuzzStorage, _ extent: JournalReader.Extent, _ window: Int) -> Verdict
{
    verdict { verdict in
        var reader = try JournalReader(
            directory: "j", storage: storage, extent: extent, options: options(window))
        // Read on from the end: a second reading finds no more frames and no other damage.
        for _ in 1...2 { _ = try reader.read { sequence, record in verdict.add(sequence, record) } }
    }
}

private func verify(_ storage: FuzzStorage, _ window: Int) -> (Verdict, Verification?) {
    var verification: Verification?
    let verdict = verdict { verdict in
        var verifier = JournalVerifier(directory: "j", storage: storage, options: options(window))
        verification = try verifier.run(progress: { _, _ in }) { verdict.add($0, $1) }
        verdict.reason = verification?.damage?.reason.rawValue
    }
    return (verdict, verification)
}

private func open(_ storage: FuzzStorage, _ window: Int) -> Verdict {
    verdict { verdict in
        let writer = try JournalWriter.open(
            directory: "j", storage: storage, options: options(window)
        ) { verdict.add($0, $1) }
        precondition(writer.nextSequence > verdict.sequences.last ?? 0)
    }
}

private func check(_ segment: [UInt8]) {
    let (verified, verification) = verify(FuzzStorage(segment), 512)
    precondition(verify(FuzzStorage(segment), 16_384) == (verified, verification))
    let whole = read(FuzzStorage(segment), .whole, 512)
    precondition(whole == read(FuzzStorage(segment), .whole, 16_384))
    let durable = read(FuzzStorage(segment), .durable, 512)
    precondition(whole.records.starts(with: durable.records))
    let storage = FuzzStorage(segment)
    let opened = open(storage, 512)
    precondition(opened == open(FuzzStorage(segment), 16_384))
    guard verified.reason == nil else {
        precondition(opened.reason != nil, "what is damaged is not opened")
        return
    }
    precondition(whole == verified, "the reader and the verifier disagree")
    guard verified.sequences.first ?? 1 == 1, opened.reason == nil else { return }
    precondition(opened == verified, "the recovery and the verifier disagree")
    // After the recovery the journal is intact, and nothing is torn.
    let (again, mended) = verify(storage, 512)
    precondition(again == verified && mended?.torn == nil)
}

/// Returns the file with a valid header and, as far as they can be followed, valid frames.
private func mended(_ segment: [UInt8]) -> [UInt8] {
    var bytes = segment
    let size = max(1024, Format.roundedToSector(bytes.count))
    bytes += [UInt8](repeating: 0, count: size - bytes.count)
    bytes.withUnsafeMutableBytes { bytes in
        bytes.store(littleEndian: Format.segmentMagic, at: 0)
        bytes.store(littleEndian: Format.version, at: 8)
        bytes.store(littleEndian: UInt64(size), at: 80)
        bytes.store(littleEndian: CRC32C.checksum(.init(rebasing: bytes[..<508])), at: 508)
        guard case .success(let header) = SegmentHeader.decode(.init(bytes)) else {
            preconditionFailure("the header was made sound")
        }
        var sequence = header.firstSequence
        var chain = ChainValue(hashing: .init(rebasing: bytes[..<512]))
        var offset = Format.segmentHeaderBytes
        while offset < size, bytes[offset] != 0 {
            let frame = UnsafeMutableRawBufferPointer(rebasing: bytes[offset...])
            guard let length = mend(frame, header.salt, sequence, chain) else { return }
            sequence &+= UInt64(UnsafeRawBufferPointer(frame).littleEndian(UInt32.self, at: 12))
            chain = ChainValue(hashing: .init(rebasing: frame[..<length]))
            offset += length
        }
    }
    return bytes
}

/// Corrects the frame's checksums, and its links unless its first byte says to keep them. Returns
/// its length, or nil if it does not fit.
private func mend(
    _ frame: UnsafeMutableRawBufferPointer, _ salt: Salt, _ sequence: UInt64, _ chain: ChainValue
) -> Int? {
    let keepsLinks = frame[0] == 0xff
    guard var header = decode(frame, salt) else { return nil }
    if !keepsLinks {
        header.firstSequence = sequence
        header.chain = chain
    }
    let length = header.frameBytes
    if length <= frame.count {
        header.bodyChecksum = CRC32C.checksum(
            .init(rebasing: frame[Format.frameHeaderBytes..<length]))
    }
    header.encode(into: frame, salt: salt)
    return length <= frame.count ? length : nil
}

/// The header with the numbers in the file, whatever its magic, stamp and checksum.
private func decode(_ frame: UnsafeMutableRawBufferPointer, _ salt: Salt) -> FrameHeader? {
    frame.store(littleEndian: Format.frameMagic, at: 0)
    frame.store(littleEndian: salt.stamp, at: 4)
    frame.store(
        littleEndian: CRC32C.checksum(.init(rebasing: frame[..<60]), seed: salt.seed), at: 60)
    return FrameHeader.decode(.init(frame), salt: salt)
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    check(bytes)
    check(mended(bytes))
    return 0
}
