import Journal
import Platform

/// The directory of a `MemoryStorage`.
final class MemoryDirectory: LockedDirectory {
    static let theOnlyOne = FileIdentity(device: 0, inode: 0)

    let storage: any Storage
    var identity: FileIdentity { Self.theOnlyOne }

    init(storage: MemoryStorage) { self.storage = storage }

    func unlock() {}
}
