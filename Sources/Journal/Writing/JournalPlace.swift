import Platform
import SystemPackage

/// The locks that a writer holds, and the check that the names still lead to what is locked.
///
/// The directory itself is locked, because a lock file can be removed while it is locked. On NFS a
/// directory cannot be locked: the file `lock` serves there. The open segment is locked, too, so
/// that a copy of the directory made of hard links cannot be opened as a second journal.
struct JournalPlace {
    let directory: String
    private let locked: any LockedDirectory
    private let lock: any StorageFile

    /// The storage in which the directory's path always means the locked directory.
    var storage: any Storage { locked.storage }

    /// Locks the journal's directory. Throws `locked`, `displaced` and `unusable`.
    init(locking directory: String, _ storage: any Storage) throws(JournalError) {
        self.directory = directory
        locked = try JournalDirectory.lock(directory, storage)
        lock = try Self.lockFile(directory, locked)
        try check()
    }

    /// Locks the file `lock`.
    private static func lockFile(
        _ directory: String, _ locked: any LockedDirectory
    ) throws(JournalError) -> any StorageFile {
        let path = directory + "/" + Format.lockName
        do { return try locked.storage.lock(path) } catch {
            if error == .wouldBlock { throw .locked(directory: directory) }
            throw .unusable(operation: "lock", path: path, error)
        }
    }

    /// Checks that the directory's name still leads to the locked directory. Throws `displaced` or
    /// `fatal`.
    func check() throws(JournalError) {
        try Self.check(
            directory, storage, is: locked.identity,
            otherwise: "the journal's directory was moved or replaced while it was in use")
    }

    /// Checks that the name of the open segment still leads to the file that is written, which
    /// implies the same of the directory.
    func check(_ segment: OpenSegment) throws(JournalError) {
        let identity: FileIdentity
        do { identity = try segment.file.identity() } catch {
            throw .fatal(operation: "fstat", path: segment.path, error)
        }
        try Self.check(
            segment.path, storage, is: identity,
            otherwise: "the segment, or the journal's directory, was moved, replaced or removed "
                + "while it was being written")
    }

    private static func check(
        _ path: String, _ storage: any Storage, is identity: FileIdentity,
        otherwise detail: String
    ) throws(JournalError) {
        let found: FileIdentity
        do { found = try storage.identity(of: path) } catch {
            guard error == .noSuchFileOrDirectory || error == .notDirectory else {
                throw .fatal(operation: "stat", path: path, error)
            }
            throw .displaced(path: path, detail: detail)
        }
        if found != identity { throw .displaced(path: path, detail: detail) }
    }

    /// Releases all locks: others may open the journal, although this process may still read it.
    func unlock(_ segment: OpenSegment) {
        segment.file.unlock()
        lock.unlock()
        locked.unlock()
    }
}

/// Keeps servers out of a journal's directory during its lifetime, and changes nothing in it.
package final class JournalHold {
    private let locked: any LockedDirectory

    /// Throws `locked` if a server, a backup or a restore uses the directory.
    package init(
        _ directory: String, storage: any Storage = PosixStorage()
    ) throws(JournalError) {
        locked = try JournalDirectory.lock(directory, storage)
    }

    deinit { locked.unlock() }

    /// Whether a journal can be created in a directory: it is missing or empty. Throws `unusable`.
    package static func isFree(
        _ directory: String, storage: any Storage = PosixStorage()
    ) throws(JournalError) -> Bool {
        do throws(JournalError) {
            return try JournalDirectory.isEmpty(directory, storage)
        } catch .unusable(_, _, .noSuchFileOrDirectory) {
            return true
        }
    }
}

/// Operations on a journal's directory itself: creating and locking it.
enum JournalDirectory {
    /// Creates the directory durably. An existing one is synced, too, because its creator may have
    /// been killed before syncing it. It is not synced if the parent may not be read: this program
    /// did not create it then.
    static func make(_ directory: String, _ storage: any Storage) throws(JournalError) {
        var isNew = true
        do { try storage.makeDirectory(directory) } catch {
            guard error == .fileExists else {
                throw .unusable(operation: "mkdir", path: directory, error)
            }
            isNew = false
        }
        let parent = directory + "/.."
        do { try storage.fsyncDirectory(parent) } catch {
            if !isNew && (error == .permissionDenied || error == .notPermitted) { return }
            throw .unusable(operation: "fsync", path: parent, error)
        }
    }

    /// Throws `locked` if a server, a backup or a restore uses it.
    static func lock(
        _ directory: String, _ storage: any Storage
    ) throws(JournalError) -> any LockedDirectory {
        do { return try storage.lockDirectory(directory) } catch {
            if error == .wouldBlock { throw .locked(directory: directory) }
            throw .unusable(operation: "lock", path: directory, error)
        }
    }

    /// Whether it holds nothing except the files that a server without a journal leaves, incomplete
    /// files, and `lost+found`.
    static func isEmpty(
        _ directory: String, _ storage: any Storage
    ) throws(JournalError) -> Bool {
        let names = try JournalError.naming("list", directory) { () throws(Errno) in
            try storage.list(directory)
        }
        return names.allSatisfy {
            $0 == Format.lockName || $0 == "lost+found" || $0.hasSuffix(Format.temporarySuffix)
        }
    }
}
