import Foundation
import Synchronization
import TestSupport

/// A PostgreSQL server of this test process, in a temporary directory, on a Unix socket and on a
/// free port of 127.0.0.1. It ends with the test process.
///
/// It does not sync to disk (`fsync=off`), because tests do not cut the power.
package final class PostgreSQLServer: Sendable {
    /// The directory of the server's socket.
    package let directory: String
    package let port: UInt16

    /// The directory of its programs; nil if it is not installed.
    package static let programs: String? = {
        let base = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
        return versions.compactMap { Int($0) }.sorted(by: >).map { "\(base)/\($0)/bin" }
            .first { FileManager.default.isExecutableFile(atPath: "\($0)/postgres") }
    }()

    /// Whether PostgreSQL is installed. If not, its tests are skipped with this notice.
    package static var isInstalled: Bool { programs != nil }
    package static let notice = "PostgreSQL is not installed (Debian: postgresql-15)"

    /// A server shared by all tests of the process; each test creates its own database.
    package static let shared = Mutex<PostgreSQLServer?>(nil)

    package static func common() throws -> PostgreSQLServer {
        try shared.withLock { server in
            if let server { return server }
            let started = try PostgreSQLServer()
            server = started
            return started
        }
    }

    package struct Failure: Error { package var text: String }

    private let process: ServerProcess
    private let number = Mutex(0)

    /// - Parameter settings: Additional settings for the server's command line, such as
    ///   `max_connections=5`.
    package init(settings: [String] = []) throws {
        guard let programs = Self.programs else { throw Failure(text: Self.notice) }
        directory = "/tmp/ipnd-pg-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        Minder.common.remove(directory)
        Minder.common.remove("\(directory).log")
        port = try FreePort.take()
        // initdb's user has all privileges.
        let script = """
            directory=$1; port=$2; programs=$3; shift 3
            mkdir -m 755 "$directory" && { [ -z "$as" ] || chown postgres "$directory"; } || exit 1
            trap 'rm -rf "$directory"' EXIT
            $as "$programs/initdb" --no-sync --auth=trust --username=postgres -E UTF8 \
                --locale=C -D "$directory/data" >"$directory.log" 2>&1 </dev/null || exit 1
            cat >"$directory/data/pg_hba.conf" <<END
            local all postgres trust
            local all all scram-sha-256
            host all postgres 127.0.0.1/32 trust
            host all all 127.0.0.1/32 scram-sha-256
            END
            $as "$programs/postgres" -D "$directory/data" -k "$directory" -p "$port" \
                -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200 \
                -c password_encryption=scram-sha-256 "$@" >"$directory.log" 2>&1 </dev/null &
            server=$!
            # The test process holds the other end: it closes when that process ends.
            cat >/dev/null
            kill -QUIT $server; wait $server
            rm -f "$directory.log"
            """
        process = try ServerProcess(
            script, [directory, "\(port)", programs] + settings.flatMap { ["-c", $0] })
        let isUp = try process.comesUp(
            "\(programs)/pg_isready", ["-q", "-t", "5", "-h", directory, "-p", "\(port)"])
        guard isUp else {
            let log = (try? String(contentsOfFile: "\(directory).log", encoding: .utf8)) ?? ""
            throw Failure(text: "the server did not start: \(log)")
        }
    }

    deinit { stop() }

    /// Ends the server at once, like `pg_ctl stop -m immediate`.
    package func stop() { process.stop() }

    /// Stops answering, like a hung machine: connections stay open.
    package func pause() { signalAll(SIGSTOP) }

    /// Resumes answering.
    package func resume() { signalAll(SIGCONT) }

    /// Sends a signal to the server and to all its processes.
    private func signalAll(_ number: Int32) {
        let file =
            (try? String(contentsOfFile: "\(directory)/data/postmaster.pid", encoding: .utf8))
        guard let line = file?.split(separator: "\n").first, let server = pid_t(line) else {
            return
        }
        kill(server, number)
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        for process in all.compactMap({ pid_t($0) }) {
            let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            if status?.contains("\nPPid:\t\(server)\n") == true { kill(process, number) }
        }
    }

    /// A connection string of the superuser for a database.
    package func string(database: String = "postgres", more: String = "") -> String {
        "host=\(directory) port=\(port) user=postgres dbname=\(database) \(more)"
    }

    /// A new, empty database.
    package func newDatabase() throws -> String {
        let next = number.withLock { number in
            number += 1
            return number
        }
        let name = "test\(next)"
        try psql("CREATE DATABASE \(name) TEMPLATE template0")
        return name
    }

    /// Runs SQL as superuser and returns the output without headings.
    @discardableResult
    package func psql(_ sql: String, database: String = "postgres") throws -> String {
        // Debian's `psql` of the search path is a Perl program that looks for this one.
        let finished = try run(
            "\(Self.programs ?? "")/psql",
            [
                "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql,
                string(database: database),
            ])
        guard finished.status == 0 else { throw Failure(text: finished.errors) }
        return finished.output.trimmingCharacters(in: .newlines)
    }
}
