import SystemPackage

/// The file `keys` in a journal's directory, without which its sealed records cannot be opened
/// (Format.md, "Keys"). Its content belongs to the store.
package enum KeysFile {
    package static let name = "keys"
    private static let bytesMax = 1 << 30

    /// Returns its content; nil when there is none. Throws `unusable`.
    package static func read(
        in directory: String, storage: any Storage = PosixStorage()
    ) throws(JournalError) -> [UInt8]? {
        let path = directory + "/" + name
        do {
            let file = try storage.open(path, for: .reading)
            var bytes = [UInt8](repeating: 0, count: min(try file.bytes(), bytesMax))
            let count = try file.readAll(&bytes, at: 0)
            return Array(bytes[..<count])
        } catch {
            if error == .noSuchFileOrDirectory || error == .notDirectory { return nil }
            throw .unusable(operation: "read", path: path, error)
        }
    }

    /// Replaces it durably and atomically: after a crash there is the old or the new content.
    /// Throws `unusable`.
    package static func write(
        _ bytes: [UInt8], in directory: String, storage: any Storage = PosixStorage()
    ) throws(JournalError) {
        try prepare(bytes, in: directory, storage: storage)
        do throws(JournalError) { try install(in: directory, storage: storage) } catch {
            discard(in: directory, storage: storage)
            throw error
        }
    }

    /// Writes new content beside it, so that `install` needs no more space. Throws `unusable`.
    package static func prepare(
        _ bytes: [UInt8], in directory: String, storage: any Storage
    ) throws(JournalError) {
        let path = directory + "/" + name
        try JournalError.naming("write", path) { () throws(Errno) in
            do throws(Errno) {
                let file = try storage.open(path + Format.temporarySuffix, for: .creating)
                try file.writeAll(bytes, at: 0)
                try file.fsync()
            } catch {
                discard(in: directory, storage: storage)
                throw error
            }
        }
    }

    /// Removes content that was prepared. A leftover is removed at the next opening.
    package static func discard(in directory: String, storage: any Storage) {
        try? storage.unlink(directory + "/" + name + Format.temporarySuffix)
    }

    /// Puts the prepared content in its place, durably. Afterwards the old content is overwritten
    /// in its place on the disk, as far as the file system writes into a place again. Throws
    /// `unusable`.
    package static func install(
        in directory: String, storage: any Storage
    ) throws(JournalError) {
        let path = directory + "/" + name
        let old = try? storage.open(path, for: .writing)
        try JournalError.naming("write", path) { () throws(Errno) in
            try storage.rename(path + Format.temporarySuffix, to: path)
            try storage.fsyncDirectory(directory)
            guard let old else { return }
            try old.writeAll([UInt8](repeating: 0, count: try old.bytes()), at: 0)
            try old.fsync()
        }
    }
}

extension JournalWriter {
    /// Notes in `identity` that records from the next one on are sealed. Does nothing if that was
    /// noted before. Throws `damaged` and `unusable`.
    package func noteSealing() throws(JournalError) {
        guard var note = try JournalNote.find(directory, storage: storage),
            note.sealedFrom == nil
        else { return }
        note.sealedFrom = nextSequence
        try JournalError.naming("write", directory + "/" + Format.identityName) {
            () throws(Errno) in
            try note.write(Format.identityName, in: directory, storage: storage)
        }
    }
}
