import Journal
import Platform
import Synchronization
import SystemPackage

/// An open file of a `SimulatedStorage`.
final class SimulatedFile: StorageFile {
    private let storage: SimulatedStorage
    private let node: Int
    private let isLocked: Mutex<Bool>

    init(storage: SimulatedStorage, node: Int, isLocked: Bool) {
        self.storage = storage
        self.node = node
        self.isLocked = Mutex(isLocked)
    }

    deinit { unlock() }

    func lock() throws(Errno) {
        let isNew = storage.state.withLock { $0.locked.insert(node).inserted }
        if !isNew { throw .wouldBlock }
        isLocked.withLock { $0 = true }
    }

    func unlock() {
        let wasLocked = isLocked.withLock { isLocked in
            defer { isLocked = false }
            return isLocked
        }
        if wasLocked { storage.state.withLock { _ = $0.locked.remove(node) } }
    }

    func identity() throws(Errno) -> FileIdentity { FileIdentity(device: 0, inode: UInt64(node)) }

    func bytes() throws(Errno) -> Int {
        try storage.perform(.status) { state in
            .success(state.disk.files[node]?.current.count ?? 0)
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int {
        let content = try storage.perform(.read) { state in
            .success(state.disk.files[node]?.current ?? [])
        }
        let end = min(content.count, offset + buffer.count)
        guard offset < end else { return 0 }
        content.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<end]))
        }
        return end - offset
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Errno) -> Int {
        try storage.perform(.write) { state in
            var count = bytes.count
            if case .shortWrites = state.plan {
                state.interrupts.toggle()
                if state.interrupts { return .failure(.interrupted) }
                count = min(count, 300)
            }
            let piece = Bytes.copy(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            if !state.isLeftOut(piece, node, offset) {
                state.disk.files[node]?.write(piece[...], at: offset)
            }
            return .success(count)
        }
    }

    func allocate(_ bytes: Int) throws(Errno) {
        try storage.perform(.allocate) { state in
            // Only the size matters: the journal relies only on its durability after the next sync.
            if let size = state.disk.files[node]?.current.count, size < bytes {
                state.disk.files[node]?.write([0], at: bytes - 1)
            }
            return .success(())
        }
    }

    func fdatasync() throws(Errno) { try sync(.fdatasync, skipping: [.neverSyncs]) }
    func fsync() throws(Errno) { try sync(.fsync, skipping: [.neverSyncs, .skipsFileSync]) }

    private func sync(
        _ operation: SimulatedStorage.Operation, skipping: SimulatedStorage.PlantedDefects
    ) throws(Errno) {
        do {
            try storage.perform(operation) { state in
                if state.defects.isDisjoint(with: skipping) { state.disk.files[node]?.sync() }
                return .success(())
            }
        } catch {
            // A failed sync marks the pages clean, and the disk does not have them.
            storage.state.withLock { state in
                if !state.isDown { state.disk.files[node]?.pending = [] }
            }
            throw error
        }
    }
}

extension SimulatedStorage.State {
    /// Whether a planted defect skips this write.
    fileprivate func isLeftOut(_ bytes: [UInt8], _ node: Int, _ offset: Int) -> Bool {
        guard let file = disk.files[node] else { return true }
        if defects.contains(.skipsRewriting), offset + bytes.count <= file.current.count,
            file.current[offset..<offset + bytes.count].elementsEqual(bytes)
        {
            return true
        }
        if defects.contains(.skipsCutting),
            file.current.count == CrashWorkload.options.segmentBytes,
            offset > 0, bytes.allSatisfy({ $0 == 0 })
        {
            return true
        }
        return false
    }
}
