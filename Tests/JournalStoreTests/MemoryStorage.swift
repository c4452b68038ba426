import Dispatch
import Journal
import Platform
import Synchronization
import SystemPackage
import TestSupport

/// A disk in memory whose sync can be held, failed or counted, and which can be full.
final class MemoryStorage: Storage {
    struct State {
        var files: [String: MemoryFile] = [:]
        var isFull = false
        var refusesNewFiles = false
        /// For this file there is no space.
        var refusedPath: String?
        var failsSync = false
        /// Syncs of content that have returned.
        var syncs = 0
        var holdsSyncs = false
        var random: UInt64 = 1
        /// The files' content after each sync, kept for a test that wants it.
        var synced: [[String: [UInt8]]]?
    }

    let state = Mutex(State())
    /// Each reading moves it on by two seconds, and a rest takes no time.
    let time = LeapingClock(wallMicroseconds: 1_000_000, stepMicroseconds: 2_000_000)
    var clock: any Clock { time }
    private let reached = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)

    /// From now on every sync waits for `releaseSync`.
    func holdSyncs() { state.withLock { $0.holdsSyncs = true } }

    /// Returns when a sync has begun and waits.
    func waitForSync() { reached.waitForAMinute() }

    /// Lets the sync that waits return; those after it wait again unless `holding` is false.
    func releaseSync(holding: Bool = true) {
        state.withLock { $0.holdsSyncs = holding }
        released.signal()
    }

    var syncs: Int { state.withLock { $0.syncs } }

    func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

    func refusesNewFiles() { state.withLock { $0.refusesNewFiles = true } }

    /// There is no space for this file; nil: for every file there is.
    func refuse(_ path: String?) { state.withLock { $0.refusedPath = path } }

    func failSyncs() { state.withLock { $0.failsSync = true } }

    func fdatasync() throws(Errno) {
        let (holds, fails) = state.withLock { ($0.holdsSyncs, $0.failsSync) }
        if holds {
            reached.signal()
            released.waitForAMinute()
        }
        if fails { throw .ioError }
        state.withLock { state in
            state.syncs += 1
            if state.synced != nil { state.synced?.append(state.files.mapValues(\.all)) }
        }
    }

    init() {}

    /// A disk with these files.
    convenience init(_ files: [String: [UInt8]]) {
        self.init()
        for (path, bytes) in files {
            let file = MemoryFile(storage: self, bytes)
            state.withLock { $0.files[path] = file }
        }
    }

    /// From now on the content after each sync, of a file or a directory, is kept, beginning with
    /// the present one.
    func keepSynced() { state.withLock { $0.synced = [$0.files.mapValues(\.all)] } }

    func open(_ path: String, for use: FileUse) throws(Errno) -> any StorageFile {
        if use == .creating, state.withLock({ $0.refusedPath == path }) { throw .noSpace }
        let file = state.withLock { state -> MemoryFile? in
            if use == .creating {
                if state.refusesNewFiles { return nil }
                let file = MemoryFile(storage: self)
                state.files[path] = file
                return file
            }
            return state.files[path]
        }
        guard let file else { throw .noSuchFileOrDirectory }
        return file
    }

    func lock(_ path: String) throws(Errno) -> any StorageFile { MemoryFile(storage: self) }

    func lockDirectory(_ path: String) throws(Errno) -> any LockedDirectory {
        MemoryDirectory(storage: self)
    }

    func identity(of path: String) throws(Errno) -> FileIdentity {
        guard let file = state.withLock({ $0.files[path] }) else {
            // The directory. The lock file is kept nowhere, and never thought to be another one.
            if path.hasSuffix(".segment") { throw .noSuchFileOrDirectory }
            return MemoryDirectory.theOnlyOne
        }
        return try file.identity()
    }

    func makeDirectory(_ path: String) throws(Errno) {}

    func list(_ directory: String) throws(Errno) -> [String] {
        state.withLock { state in
            state.files.keys.filter { $0.hasPrefix(directory + "/") }
                .map { String($0.dropFirst(directory.count + 1)) }
        }
    }

    func rename(_ path: String, to newPath: String) throws(Errno) {
        let isKnown = state.withLock { state in
            guard let file = state.files.removeValue(forKey: path) else { return false }
            state.files[newPath] = file
            return true
        }
        if !isKnown { throw .noSuchFileOrDirectory }
    }

    func link(_ path: String, to newPath: String) throws(Errno) {
        state.withLock { $0.files[newPath] = $0.files[path] }
    }

    func unlink(_ path: String) throws(Errno) {
        let file = state.withLock { $0.files.removeValue(forKey: path) }
        if file == nil { throw .noSuchFileOrDirectory }
    }

    func fsyncDirectory(_ path: String) throws(Errno) {
        state.withLock { state in
            if state.synced != nil { state.synced?.append(state.files.mapValues(\.all)) }
        }
    }

    func bytesAvailable(_ directory: String) throws(Errno) -> Int { 1 << 30 }

    func randomBits() -> UInt64 {
        state.withLock {
            $0.random &*= 6_364_136_223_846_793_005
            $0.random &+= 1
            return $0.random
        }
    }
}
