#if PLANTED_DEFECTS
import Configuration
import DatabaseDefects
import Glibc
import Platform
import PostgreSQL

/// A build with mistakes in it, one of which `IPND_DEFECT` chooses: whatever claims to prove that
/// nothing is lost with a database must notice each of them.
extension DatabaseSide {
    static func links(_ database: DatabaseConfiguration) -> LinkSource {
        let source = LinkSource(database.connection, database.session, clock: SystemClock())
        let name = getenv("IPND_DEFECT").map { String(cString: $0) } ?? ""
        return DatabaseDefect(rawValue: name)?.planted(in: source) ?? source
    }
}
#endif
