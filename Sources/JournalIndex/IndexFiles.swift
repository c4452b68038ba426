import GRDB
import GRDBSQLite
import Glibc

/// The index's files on disk.
enum IndexFiles {
    /// Deletes a database with SQLite's files beside it.
    static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    }

    /// Makes the directory of `path`, readable only by the owner: orders are confidential. Throws
    /// as SQLite does when it cannot open a file.
    static func makeDirectory(of path: String) throws {
        guard let end = path.lastIndex(of: "/") else { return }
        if mkdir(String(path[..<end]), 0o700) != 0, errno != EEXIST {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN, message: String(cString: strerror(errno)))
        }
    }

    /// Makes SQLite read and write its files by system calls only. In its usual mode the log's
    /// index is a mapped file (`-shm`), and touching a mapping whose file was truncated is SIGBUS.
    /// The VFS `unix-excl` keeps it on the heap; in exchange no other process may open the
    /// database meanwhile (https://www.sqlite.org/vfs.html#standard_unix_vfses).
    static func mapNothing() throws {
        _ = try defaultVFS.get()
    }

    private static let defaultVFS = Result<Void, DatabaseError>(catching: makeDefault)

    private static func makeDefault() throws(DatabaseError) {
        let code = sqlite3_vfs_register(sqlite3_vfs_find("unix-excl"), 1)
        guard code == SQLITE_OK else {
            throw DatabaseError(
                resultCode: ResultCode(rawValue: code), message: "no VFS without memory mapping")
        }
    }
}

/// The files of an open index. SQLite continues with a file whose name is gone, and what it writes
/// there is lost at the next start.
struct IndexPlace: Sendable {
    private struct Witness: Equatable {
        var device: UInt
        var file: UInt
        var bytes: Int

        init?(_ path: String) {
            var status = stat()
            guard fstatat(AT_FDCWD, path, &status, 0) == 0 else { return nil }
            device = UInt(status.st_dev)
            file = UInt(status.st_ino)
            bytes = status.st_size
        }

        /// The same file, and no shorter: neither file of an index ever shrinks.
        func isStill(_ path: String) -> Bool {
            guard let now = Witness(path) else { return false }
            return now.device == device && now.file == file && now.bytes >= bytes
        }
    }

    private let path: String
    private let main: Witness?
    private let log: Witness?

    /// The files of a database at `path` that has just been opened.
    init(_ path: String) {
        self.path = path
        main = Witness(path)
        log = Witness(path + "-wal")
    }

    /// Whether the names still lead to the files that were opened.
    var isUntouched: Bool {
        guard let main, main.isStill(path) else { return false }
        return log?.isStill(path + "-wal") ?? true
    }
}
