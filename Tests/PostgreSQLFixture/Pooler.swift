import Foundation
import TestSupport

/// A pgbouncer in front of a server for one test, on a Unix socket in a temporary directory. It
/// ends with the test process.
package final class Pooler {
    /// The directory of its socket, with the port 6432.
    package let directory: String
    private let process: ServerProcess
    private let server: PostgreSQLServer

    package static let program = installedProgram("pgbouncer")
    package static var isInstalled: Bool { program != nil && PostgreSQLServer.isInstalled }
    package static let notice = "pgbouncer is not installed (Debian: pgbouncer, postgresql-15)"

    /// - Parameter mode: pgbouncer's `pool_mode`.
    package init(before server: PostgreSQLServer, mode: String, more: String = "") throws {
        self.server = server
        directory = "/tmp/ipnd-pooler-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        Minder.common.remove(directory)
        let script = """
            directory=$1; program=$2; read -r text
            mkdir -m 777 "$directory" || exit 1
            trap 'rm -rf "$directory"' EXIT
            printf '%b' "$text" >"$directory/pooler.ini"
            $as "$program" -q "$directory/pooler.ini" >"$directory/log" 2>&1 </dev/null &
            pooler=$!
            while read -r text; do
                printf '%b' "$text" >"$directory/pooler.ini"
                kill -HUP $pooler
            done
            kill -KILL $pooler; wait $pooler
            """
        process = try ServerProcess(script, [directory, Self.program ?? "pgbouncer"])
        try configure(mode: mode, more: more)
        let isUp = try process.comesUp(
            "\(PostgreSQLServer.programs ?? "")/pg_isready",
            ["-q", "-t", "5", "-h", directory, "-p", "6432"])
        guard isUp else {
            let log = try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)
            throw PostgreSQLServer.Failure(text: "pgbouncer did not start: \(log ?? "")")
        }
    }

    deinit { process.stop() }

    /// Writes the configuration and makes pgbouncer reload it.
    package func configure(mode: String, more: String = "") throws {
        let lines = [
            "[databases]",
            "* = host=\(server.directory) port=\(server.port) user=postgres",
            "[pgbouncer]",
            "unix_socket_dir = \(directory)", "listen_port = 6432", "auth_type = any",
            "pool_mode = \(mode)", "admin_users = postgres", more,
        ]
        let text = lines.joined(separator: #"\n"#) + #"\n"# + "\n"
        try process.write(text)
    }

    /// A connection string of the superuser for a database.
    package func string(database: String) -> String {
        "host=\(directory) port=6432 user=postgres dbname=\(database)"
    }
}
