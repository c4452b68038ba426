import Journal
import Platform
import Synchronization
import SystemPackage

/// A file of a `MemoryStorage`.
final class MemoryFile: StorageFile {
    private let content = Mutex<[UInt8]>([])
    private let storage: MemoryStorage

    init(storage: MemoryStorage, _ bytes: [UInt8] = []) {
        self.storage = storage
        content.withLock { $0 = bytes }
    }

    var all: [UInt8] { content.withLock { $0 } }

    func bytes() throws(Errno) -> Int { content.withLock { $0.count } }
    func identity() throws(Errno) -> FileIdentity {
        FileIdentity(device: 0, inode: UInt64(UInt(bitPattern: ObjectIdentifier(self))))
    }
    func lock() throws(Errno) {}
    func unlock() {}

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int {
        content.withLock { bytes in
            guard offset < bytes.count else { return 0 }
            let end = min(bytes.count, offset + buffer.count)
            bytes.withUnsafeBytes { buffer.copyMemory(from: .init(rebasing: $0[offset..<end])) }
            return end - offset
        }
    }

    func write(_ source: UnsafeRawBufferPointer, at offset: Int) throws(Errno) -> Int {
        content.withLock { bytes in
            let end = offset + source.count
            if bytes.count < end {
                bytes += [UInt8](repeating: 0, count: end - bytes.count)
            }
            bytes.withUnsafeMutableBytes { target in
                UnsafeMutableRawBufferPointer(rebasing: target[offset..<end])
                    .copyMemory(from: source)
            }
        }
        return source.count
    }

    func allocate(_ count: Int) throws(Errno) {
        if storage.state.withLock({ $0.isFull }) { throw .noSpace }
        content.withLock { bytes in
            guard bytes.count < count else { return }
            bytes += [UInt8](repeating: 0, count: count - bytes.count)
        }
    }

    func fdatasync() throws(Errno) { try storage.fdatasync() }

    func fsync() throws(Errno) {}
}
