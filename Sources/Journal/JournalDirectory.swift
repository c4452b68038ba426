import SystemPackage

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

    /// Whether nothing is in it but what a server that found no journal leaves, a half made file, or
    /// what a file system keeps in its root.
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
