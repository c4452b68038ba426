import Journal
import Platform
import SystemPackage

/// A locked directory of a `SimulatedStorage`.
final class SimulatedDirectory: LockedDirectory {
    let identity: FileIdentity
    let storage: any Storage
    private let lock: SimulatedFile

    init(_ lock: SimulatedFile, storage: SimulatedStorage, node: Int) {
        self.lock = lock
        self.storage = storage
        identity = FileIdentity(device: 0, inode: UInt64(node))
    }

    func unlock() { lock.unlock() }
}
