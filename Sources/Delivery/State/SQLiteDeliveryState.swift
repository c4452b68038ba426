import GRDB
import Glibc
import Sealing

/// The state in an SQLite file, for one process. A power cut may undo the last transactions: their
/// events are then delivered again.
package final class SQLiteDeliveryState: SQLDeliveryState {
    package static let fileName = "delivery.sqlite"

    private let file: SQLiteSession
    package var session: any SQLSession { file }
    package let seal: SideSeal

    /// Opens or creates the file in `directory`. A damaged file is renamed and replaced by an empty
    /// one: everything is then delivered again. Returns the damaged file's new name. Throws
    /// `unavailable`.
    package static func open(
        directory: String, seal: SideSeal = .deliveries([])
    ) throws(DeliveryStateFailure) -> (state: SQLiteDeliveryState, setAside: String?) {
        let path = "\(directory)/\(fileName)"
        if mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw .unavailable("\(directory): \(String(cString: strerror(errno)))")
        }
        do {
            return (SQLiteDeliveryState(try SQLiteSession(path), seal), nil)
        } catch let error as DatabaseError where Self.isDamage(error) {
            let aside = "\(path).damaged"
            guard rename(path, aside) == 0 else { throw SQLiteSession.failure(error, path) }
            for suffix in ["-wal", "-shm", "-journal"] { unlink(path + suffix) }
            do {
                return (SQLiteDeliveryState(try SQLiteSession(path), seal), aside)
            } catch {
                throw SQLiteSession.failure(error, path)
            }
        } catch {
            throw SQLiteSession.failure(error, path)
        }
    }

    private static func isDamage(_ error: DatabaseError) -> Bool {
        [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT].contains(error.resultCode)
    }

    private init(_ file: SQLiteSession, _ seal: SideSeal) {
        self.file = file
        self.seal = seal
    }

    package func open(
        _ destination: DeliveryDestination, store: String, newest: UInt64,
        changed: @escaping @Sendable () -> Void
    ) async throws(DeliveryStateFailure) -> OpenedDelivery? {
        try await restore(destination, store: store, newest: newest, under: nil)
    }

    package func write(_ write: DeliveryWrite) async throws(DeliveryStateFailure) {
        _ = try await session.write(write.sealed(by: seal).calls, under: nil)
    }

    /// Closes the file. If this fails, the file is as after a crash, which it survives.
    package func close() async { try? file.close() }

    // MARK: Other instances

    // There are none: this process holds the file.

    package func holds(_ lease: Int64, of destination: String) -> Bool { true }

    package func release(_ destination: String) async {}

    package func commands(
        for destination: String
    ) async throws(DeliveryStateFailure) -> [QueuedCommand] { [] }

    package func ask(
        _ command: DeliveryCommand, of destination: String
    ) async throws(DeliveryStateFailure) -> Int? { nil }
}
