import Foundation
import PostgreSQLFixture
import TestSupport
import Testing

/// Delivery by several instances with one database: commands at each instance, and a database that
/// is unreachable for a while.
@Suite(.ownThreads, .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct SharedDeliveryTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private let folder = TemporaryFolder()
    private let secret: String

    init() throws { secret = try folder.write("secret", Self.secret + "\n") }

    private func instance(
        sharing database: SharedDatabase? = nil, port: UInt16, leaseSeconds: Int = 60,
        more: String = "",
        starts: Bool = true
    ) throws -> Instance {
        try Instance(
            on: .database, shared: database,
            edit: { [secret] text in
                text.replacingOccurrences(
                    of: "journal: {directory: journal}",
                    with: "database: {connection: {file: secrets/database}, "
                        + "leaseSeconds: \(leaseSeconds)\(more)}"
                )
                    + "\ndestinations:\n  - {name: shop, url: \"http://127.0.0.1:\(port)/\", "
                    + "secrets: [{file: \(secret)}], retrySeconds: [0.01], breakerSeconds: 0.1}\n"
            }, starts: starts)
    }

    private func deliveries(_ instance: Instance, _ arguments: String...) throws -> Finished {
        try run(
            Binary.ipnd,
            ["deliveries"] + arguments + [
                "--config", instance.configurationFile, "--url",
                "http://127.0.0.1:\(instance.adminPort)",
            ])
    }

    private func destination(_ instance: Instance) throws -> [String: Any] {
        let page = try instance.admin().get("/destinations").object()
        return (page["destinations"] as? [[String: Any]])?.first ?? [:]
    }

    private func serves(_ instance: Instance) throws -> Bool {
        try destination(instance)["served"] as? Bool == true
    }

    @Test func `every instance lists retries pauses and resumes`() throws {
        let port = try FreePort.take()
        let first = try instance(port: port)
        #expect(try eventually { try serves(first) }, "\(first.logText)")
        let second = try instance(sharing: first.database, port: port)
        let refusing = try HookReceiver(["--secret-file", secret, "--status", "422"], port: port)
        let antom = try SandboxProvider("antom", of: first)
        try first.deliver(antom.delivery(.paid, reference: "S-1").request())
        #expect(
            try eventually {
                try deliveries(second, "--state", "dead").output.contains("S-1")
            }, "\(first.logText)")
        let standing = try destination(second)
        #expect(standing["served"] as? Bool == false)
        let label = standing["servedBy"] as? String
        #expect(label?.hasSuffix(":\(first.process.processIdentifier)") == true)
        #expect(standing["dead"] as? Int == 1)
        #expect(try deliveries(second).output.contains("at \(label ?? "nobody")"))
        refusing.stop()
        let taking = try HookReceiver(["--secret-file", secret], port: port)
        #expect(
            try deliveries(second, "retry", "--yes").output == "1 of 1 event retried.\n")
        #expect(eventually { taking.output.contains(#""type":"order.paid""#) })
        #expect(try deliveries(second, "pause", "shop").output == "shop: paused\n")
        try first.deliver(antom.delivery(.paid, reference: "S-2", number: 2).request())
        #expect(try destination(first)["paused"] as? String == "command")
        #expect(try deliveries(second, "resume", "shop").output == "shop: at \(label ?? "")\n")
        #expect(eventually { taking.output.contains("S-2") })
        let metrics = try second.admin().get("/metrics").body
        #expect(metrics.contains(#"ipnd_delivery_served{destination="shop"} 0"#))
        #expect(!metrics.contains("ipnd_delivery_lag_events{"))
        // After an orderly stop the other one takes over at once.
        #expect(first.stop() == 0)
        #expect(try eventually { try serves(second) }, "\(second.logText)")
        #expect(second.says("destination shop: this instance delivers to it"))
    }

    /// Each state change is logged once; nothing is lost.
    @Test func `delivery goes on when the database is back`() throws {
        let server = try PostgreSQLServer()
        defer { server.stop() }
        let receiver = try HookReceiver(["--secret-file", secret])
        let instance = try instance(
            sharing: try SharedDatabase(on: server), port: receiver.port,
            leaseSeconds: 3, more: ", batchSecondsMax: 1, requestSecondsMax: 2", starts: false)
        try instance.database?.install(instance.configurationFile)
        try instance.start()
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.paid, reference: "DB-1").request())
        #expect(eventually { receiver.output.contains("DB-1") }, "\(instance.logText)")
        server.pause()
        let lost = "destination shop: this instance delivers to it no longer"
        #expect(eventually { instance.logText.contains(lost) }, "\(instance.logText)")
        #expect(try !serves(instance))
        // The action is recorded first.
        #expect(
            try instance.admin().post("/destinations/shop/pause", "").code
                == "database_unavailable")
        server.resume()
        #expect(try eventually { try serves(instance) }, "\(instance.logText)")
        let request = try antom.delivery(.paid, reference: "DB-2", number: 2).request()
        let client = try instance.client()
        #expect(
            try eventually {
                try client.send(request)
                return try client.receive().status == 200
            })
        #expect(eventually { receiver.output.contains("DB-2") }, "\(instance.logText)")
        let lines = instance.logText.split(separator: "\n").filter {
            $0.contains("destination shop: ")
        }
        // Acquired, at most one read error and one write error, lost, acquired again.
        #expect(lines.count <= 5, "\(lines)")
        #expect(lines.count { $0.contains(lost) } == 1)
        #expect(instance.stop() == 0)
    }
}
