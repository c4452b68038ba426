import Foundation
import PostgreSQLFixture
import TestSupport
import Testing

/// `ipnd database …` with a real PostgreSQL server.
@Suite(.ownThreads, .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct DatabaseCommandTests {
    private let server: PostgreSQLServer
    private let name: String
    private let instance: Instance
    private let password = "Zaubernuss-7"

    init() throws {
        server = try .common()
        name = try server.newDatabase()
        instance = try Instance(
            edit: {
                $0.replacingOccurrences(
                    of: "journal: {directory: journal}",
                    with: "database: {connection: {env: IPND_DATABASE}, connectSecondsMax: 5}")
            }, starts: false)
    }

    private func ipnd(_ arguments: [String], _ connection: String? = nil) throws -> Finished {
        let string = connection ?? server.string(database: name)
        return try run(
            Binary.ipnd, arguments + ["--config", instance.configurationFile],
            environment: ["IPND_DATABASE": string])
    }

    @Test func `init makes the tables once stat tells what they hold`() throws {
        #expect(try ipnd(["database", "init"]).lines == ["made version 1 in ipnd"])
        let again = try ipnd(["database", "init"])
        #expect(again.status == 0)
        #expect(again.lines == ["ipnd has version 1 already"])
        let stat = try ipnd(["database", "stat", "--json"])
        #expect(stat.status == 0, "\(stat.errors)")
        let object = try JSONSerialization.jsonObject(with: Data(stat.output.utf8))
        #expect((object as? [String: Any])?["last"] as? Int == 0)
        #expect(try ipnd(["database", "stat"]).output.contains("sequences    none"))
    }

    @Test func `check names what breaks the promise and exits with 78`() throws {
        _ = try ipnd(["database", "init"])
        let check = try ipnd(["database", "check"])
        #expect(check.status == 78)
        #expect(check.errors.contains("fsync is off"))
        #expect(check.output.contains("tables         version 1 in the schema ipnd"))
    }

    /// An error in the connection string, the exit status, and a part of the message.
    @Test(arguments: [
        ("user=nobody password=Zaubernuss-7", 78, "user and password"),
        ("user=postgres dbname=none", 78, "create it"),
        ("user=postgres pasword=Zaubernuss-7", 78, "did you mean `password`?"),
        ("user=postgres sslmode=requir", 78, "the connection string cannot be used"),
        ("user=postgres password=Zaubernuss 7", 78, "single quotes"),
    ])
    func `a mistake of the connection is one line that says what to do`(
        options: String, status: Int32, words: String
    ) throws {
        let base = "host=127.0.0.1 port=\(server.port) dbname=\(name)"
        for command in ["init", "check", "stat", "verify"] {
            let finished = try ipnd(["database", command], "\(base) \(options)")
            #expect(finished.status == status, "\(finished.errors)")
            #expect(finished.errors.contains(words), "\(finished.errors)")
            #expect(!finished.errors.contains("Zaubernuss"), "\(finished.errors)")
            let lines = finished.errors.split(separator: "\n").filter {
                !$0.contains(": warning: ")
            }
            #expect(lines.count == 1, "\(finished.errors)")
        }
    }

    @Test func `a server that is away is no mistake`() throws {
        let finished = try ipnd(["database", "check"], "host=127.0.0.1 port=1 user=postgres")
        #expect(finished.status == 69)
        #expect(finished.errors.contains("cannot be reached"))
    }

    @Test func `missing tables a missing privilege and another version are told`() throws {
        let absent = try ipnd(["database", "stat"])
        #expect(absent.status == 78)
        #expect(absent.errors.contains("ipnd database init"))
        _ = try ipnd(["database", "init"])
        let role = "plain_\(name)"
        try server.psql("CREATE ROLE \(role) LOGIN PASSWORD '\(password)'")
        let string =
            "host=127.0.0.1 port=\(server.port) dbname=\(name) user=\(role) "
            + "password=\(password)"
        let refused = try ipnd(["database", "check"], string)
        #expect(refused.status == 78)
        #expect(refused.errors.contains("GRANT ipnd_writer"))
        try server.psql("UPDATE ipnd.meta SET version = 99", database: name)
        let newer = try ipnd(["database", "init"])
        #expect(newer.status == 78)
        #expect(newer.errors.contains("newer ipnd"))
    }

    @Test func `the commands for a database say when there is none`() throws {
        let journal = try Instance(starts: false)
        let finished = try run(
            Binary.ipnd, ["database", "stat", "--config", journal.configurationFile])
        #expect(finished.status == 78)
        #expect(finished.errors.contains("names a journal"))
    }
}
