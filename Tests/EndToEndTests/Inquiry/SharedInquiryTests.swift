import Foundation
import PostgreSQLFixture
import TestSupport
import Testing

/// Two instances with one database: one sends inquiries, and the other takes over.
@Suite(.ownThreads, .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct SharedInquiryTests {
    private static let served = "ipnd_inquiry_served{endpoint=\"citcon-pay\"}"

    private func instance(
        _ provider: AskedProvider, sharing database: SharedDatabase? = nil
    ) throws -> Instance {
        try Instance(
            on: .database, shared: database,
            edit: { text in
                provider.edit(text, "schedule: [0.3], secondsPerQuestion: 0.01")
                    .replacingOccurrences(
                        of: "journal: {directory: journal}",
                        with: "database: {connection: {file: secrets/database}, leaseSeconds: 60}")
            })
    }

    @Test func `one asks and the other takes over when it is killed`() throws {
        let provider = try AskedProvider()
        let first = try instance(provider)
        #expect(try eventually { try first.metric(Self.served) == 1 }, "\(first.logText)")
        let second = try instance(provider, sharing: first.database)
        let early = (1...20).map { "R-\($0)" }
        try second.expect(early)
        #expect(
            eventually { early.allSatisfy { provider.count(of: $0) > 0 } }, "\(first.logText)")
        #expect(try second.metric(Self.served) == 0)
        // Not sent by both.
        #expect(early.allSatisfy { provider.count(of: $0) == 1 })
        #expect(first.stop(SIGKILL) == SIGKILL)
        // DeliveryRunTests tests the expiry of a lease.
        try first.database?.expireLeases(of: first)
        for reference in early { provider.say("success", of: reference) }
        provider.say("success", of: "R-21")
        try second.expect("R-21")
        #expect(try eventually { try second.metric(Self.served) == 1 }, "\(second.logText)")
        for reference in early + ["R-21"] {
            #expect(
                try eventually { try second.status(reference) == "paid" }, "\(second.logText)")
        }
        // After the takeover open orders are asked about once more, and only once.
        #expect(early.allSatisfy { provider.count(of: $0) <= 2 })
        #expect(second.says("inquiry citcon-pay: this instance asks"))
        #expect(second.stop() == 0)
    }

    /// After an orderly stop the other one asks at once.
    @Test func `a stop gives the lease back`() throws {
        let provider = try AskedProvider()
        let first = try instance(provider)
        #expect(try eventually { try first.metric(Self.served) == 1 })
        let second = try instance(provider, sharing: first.database)
        #expect(try second.metric(Self.served) == 0)
        #expect(first.stop() == 0)
        let expires = try second.database?.server.psql(
            "SELECT expires <= clock_timestamp() "
                + "OR label LIKE '%:\(second.process.processIdentifier)' FROM ipnd.lease "
                + "WHERE name = 'inquiry citcon-pay'",
            database: second.database?.name ?? "")
        #expect(expires == "t")
        #expect(try eventually { try second.metric(Self.served) == 1 }, "\(second.logText)")
    }

    /// The connection to the database is cut during inquiries: their answers are rejected, the
    /// lease is lost, and both recover.
    @Test func `a database that is away while it asks loses and repeats nothing`() throws {
        let server = try PostgreSQLServer()
        defer { server.stop() }
        let database = try SharedDatabase(on: server)
        let provider = try AskedProvider()
        let instance = try Instance(
            on: .database, shared: database,
            edit: { text in
                provider.edit(
                    text,
                    "schedule: [0.3, 1, 5, 20], secondsPerQuestion: 0.01, secondsPerOrder: 0.1"
                )
                .replacingOccurrences(
                    of: "journal: {directory: journal}",
                    with: "database: {connection: {file: secrets/database}, leaseSeconds: 3, "
                        + "batchSecondsMax: 1, requestSecondsMax: 2}")
            }, starts: false)
        try database.install(instance.configurationFile)
        try instance.start()
        #expect(try eventually { try instance.metric(Self.served) == 1 }, "\(instance.logText)")
        let references = (1...6).map { "R-\($0)" }
        for reference in references { provider.say("success", of: reference) }
        provider.hold()
        try instance.expect(references)
        // The maximum number of concurrent inquiries.
        #expect(eventually { provider.questions.count == 4 }, "\(instance.logText)")
        server.pause()
        provider.hold(false)
        #expect(try eventually { try instance.metric(Self.served) == 0 }, "\(instance.logText)")
        #expect(instance.says("this instance asks no longer"))
        server.resume()
        for reference in references {
            #expect(
                try eventually { try instance.status(reference) == "paid" },
                "\(instance.logText)")
        }
        provider.say("success", of: "R-7")
        try instance.expect("R-7")
        #expect(try eventually { try instance.status("R-7") == "paid" }, "\(instance.logText)")
        let found = try instance.records().compactMap { record -> String? in
            let event = record["event"] as? [String: Any]
            guard event?["kind"] as? String == "inquiry" else { return nil }
            return (record["order"] as? [String: Any])?["reference"] as? String
        }
        #expect(found.sorted() == references + ["R-7"])
        #expect(instance.stop() == 0)
    }
}
