import Platform
import SystemPackage

/// What a writer has locked, and whether the names still lead there.
///
/// The directory itself is locked, because a lock file can be removed from under its lock. `lock`
/// is locked besides, for programs of earlier versions that know nothing else, and the open
/// segment, so that a copy of the directory made of hard links is not a second journal.
struct JournalPlace {
    let directory: String
    private let locked: any LockedDirectory
    private var lock: any StorageFile

    /// The storage in which the directory's path always means the directory that is locked.
    var storage: any Storage { locked.storage }

    /// How often a name may be changed between opening and locking it.
    private static let attemptsMax = 5

    /// Locks the journal's directory. Throws `locked`, `displaced` and `unusable`.
    init(locking directory: String, _ storage: any Storage) throws(JournalError) {
        self.directory = directory
        locked = try JournalDirectory.lock(directory, storage)
        lock = try Self.lockFile(directory, locked)
        try check()
    }

    /// Locks `lock`, and makes sure that it is the file of that name.
    private static func lockFile(
        _ directory: String, _ locked: any LockedDirectory
    ) throws(JournalError) -> any StorageFile {
        let path = directory + "/" + Format.lockName
        do throws(Errno) {
            for _ in 1..<attemptsMax {
                let file = try locked.storage.lock(path)
                if try leads(path, to: file, locked.storage) { return file }
            }
            return try locked.storage.lock(path)
        } catch {
            if error == .wouldBlock { throw .locked(directory: directory) }
            throw .unusable(operation: "lock", path: path, error)
        }
    }

    private static func leads(
        _ path: String, to file: any StorageFile, _ storage: any Storage
    ) throws(Errno) -> Bool {
        do { return try storage.identity(of: path) == file.identity() } catch {
            if error == .noSuchFileOrDirectory { return false }
            throw error
        }
    }

    /// Whether the directory's name still leads to the directory that is locked. Throws `displaced`
    /// or `fatal`.
    func check() throws(JournalError) {
        try Self.check(
            directory, storage, is: locked.identity,
            otherwise: "the journal's directory was moved or replaced while it was in use")
    }

    /// Whether the name of the open segment still leads to the file that is written. This says the
    /// same of the directory.
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

    /// Lets all locks go: others may have the journal, though somebody here still reads in it.
    func unlock(_ segment: OpenSegment) {
        segment.file.unlock()
        lock.unlock()
        locked.unlock()
    }

    /// Locks `lock` again where somebody has removed it. Throws `displaced` when another process
    /// has it.
    mutating func keepLockFile() throws(JournalError) {
        let path = directory + "/" + Format.lockName
        // Only a program of an earlier version depends on it: what cannot be known stays as it is.
        guard (try? Self.leads(path, to: lock, storage)) == false else { return }
        do { lock = try storage.lock(path) } catch {
            guard error == .wouldBlock else { return }
            throw .displaced(
                path: path, detail: "it was replaced, and another process has locked the new one")
        }
    }
}

/// Keeps servers out of a journal's directory while it lives, and changes nothing in it.
package final class JournalHold {
    private let locked: any LockedDirectory

    /// Throws `locked` when a server, a backup or a restore has the directory.
    package init(
        _ directory: String, storage: any Storage = PosixStorage()
    ) throws(JournalError) {
        locked = try JournalDirectory.lock(directory, storage)
    }

    deinit { locked.unlock() }

    /// Whether a journal can be begun in a directory: it is not there, or nothing is in it. Throws
    /// `unusable`.
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

/// A journal's directory as such: making it, and having it for oneself.
enum JournalDirectory {
    /// Creates the directory, durably. One that exists is synced all the same: whoever made it may
    /// have been killed before that. Only where the parent may not be read is an existing directory
    /// taken as it is; then it is not one that this program made.
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

    /// Throws `locked` when a server, a backup or a restore has it.
    static func lock(
        _ directory: String, _ storage: any Storage
    ) throws(JournalError) -> any LockedDirectory {
        do { return try storage.lockDirectory(directory) } catch {
            if error == .wouldBlock { throw .locked(directory: directory) }
            throw .unusable(operation: "lock", path: directory, error)
        }
    }

    /// Whether nothing is in it but what a server that found no journal leaves, a half made file,
    /// or what a file system keeps in its root.
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
