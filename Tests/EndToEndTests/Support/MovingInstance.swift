import Foundation
import PostgreSQLFixture
import TestSupport
import Testing

/// An instance whose record can be moved between a journal and a database.
final class MovingInstance {
    let instance: Instance
    let server: PostgreSQLServer
    let database: String
    private let journalText: String

    var connection: String { server.string(database: database) }

    init(_ instance: Instance, partitionEvents: Int = 1_000_000, installs: Bool = true) throws {
        self.instance = instance
        server = try .common()
        database = try server.newDatabase()
        journalText = try String(contentsOfFile: instance.configurationFile, encoding: .utf8)
        instance.environment["IPND_DATABASE"] = connection
        guard installs else { return }
        let made = try ipnd("init", "--partition-events", "\(partitionEvents)")
        try #require(made.status == 0, "\(made.errors)")
    }

    private var databaseFile: String { "\(instance.folder)/database.yaml" }

    private var databaseText: String {
        journalText.replacing(
            #/journal: \{directory: [^}]*\}/#, with: "database: {connection: {env: IPND_DATABASE}}")
    }

    /// Configures the next start: the database, or this journal.
    func use(journal: String?) throws {
        let text = journal.map {
            journalText.replacing(
                #/journal: \{directory: [^}]*\}/#,
                with: "journal: {directory: \($0), segmentMiB: 16, indexWaitSeconds: 60}")
        }
        try (text ?? databaseText).write(
            toFile: instance.configurationFile, atomically: true, encoding: .utf8)
        // The index belongs to one journal.
        try? FileManager.default.removeItem(atPath: "\(instance.folder)/index")
    }

    /// The arguments of `ipnd database …`.
    func arguments(_ command: [String]) throws -> [String] {
        try databaseText.write(toFile: databaseFile, atomically: true, encoding: .utf8)
        return ["database"] + command + ["--config", databaseFile]
    }

    func ipnd(_ command: String..., connection: String? = nil) throws -> Finished {
        try run(
            Binary.ipnd, try arguments(command),
            environment: ["IPND_DATABASE": connection ?? self.connection])
    }

    /// Runs a command whose connections to the server stand still after so many bytes, and kills
    /// it as soon as they do and `isReached`.
    func kill(
        _ command: String..., after bytes: Int, _ direction: StallingProxy.Direction,
        when isReached: () throws -> Bool = { true }
    ) throws {
        let proxy = try StallingProxy(to: server.port, after: bytes, direction)
        let process = try Child(
            Binary.ipnd, try arguments(command),
            environment: [
                "IPND_DATABASE": "host=127.0.0.1 port=\(proxy.port) user=postgres "
                    + "dbname=\(database) sslmode=disable gssencmode=disable"
            ])
        try #require(
            eventually { try !process.isRunning || (proxy.isStalled && isReached()) })
        process.kill()
        try #require(process.wasKilled, "it ended although its connection stood still")
    }

    func psql(_ sql: String) throws -> String {
        try server.psql("SET search_path = ipnd; \(sql)", database: database)
    }

    /// The pages of the orders in the running instance, by `endpoint/reference`.
    func pages(_ names: [String]) throws -> [String: NSDictionary] {
        let admin = try instance.admin()
        var pages: [String: NSDictionary] = [:]
        for name in names {
            pages[name] = try admin.get("/orders/\(name)").object() as NSDictionary
        }
        return pages
    }

    /// `endpoint/reference` of all orders that have a reference.
    func names() throws -> [String] {
        try psql(
            """
            SELECT name || '/' || reference FROM order_state JOIN endpoint ON number = endpoint
            WHERE reference IS NOT NULL ORDER BY 1
            """
        ).split(separator: "\n").map(String.init)
    }

    /// The records of a journal, byte for byte.
    func cat(_ journal: String) throws -> String {
        let finished = try run(Binary.ipnd, ["journal", "cat", journal])
        try #require(finished.status == 0, "\(finished.errors)")
        return finished.output
    }
}
