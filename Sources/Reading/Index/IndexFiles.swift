import GRDB
import Glibc

/// The index's files on disk.
enum IndexFiles {
    /// Deletes a database with what SQLite keeps beside it.
    static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    }

    /// Makes the directory of `path`, readable for the owner alone: orders are nobody else's
    /// business. Throws as SQLite does when it cannot open a file.
    static func makeDirectory(of path: String) throws {
        guard let end = path.lastIndex(of: "/") else { return }
        if mkdir(String(path[..<end]), 0o700) != 0, errno != EEXIST {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN, message: String(cString: strerror(errno)))
        }
    }
}
