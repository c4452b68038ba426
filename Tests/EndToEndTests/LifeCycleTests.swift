import Foundation
import TestSupport
import Testing

/// Start, reload and stop of the server.
@Suite(.ownThreads) struct LifeCycleTests {
    private func health(_ instance: Instance, _ path: String) -> Int? {
        guard let client = try? Client(port: instance.adminPort) else { return nil }
        try? client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return try? client.receive().status
    }

    /// A request without its last byte, and that byte.
    private func halves(_ bytes: [UInt8]) -> (most: [UInt8], last: [UInt8]) {
        (Array(bytes.dropLast()), Array(bytes.suffix(1)))
    }

    @Test func `sigterm fails readiness first and listens on for the delay`() throws {
        let instance = try Instance(edit: { $0 + "\ndrainDelaySeconds: 2\n" })
        let antom = try SandboxProvider("antom", of: instance)
        #expect(health(instance, "/readyz") == 200)
        instance.process.signal(SIGTERM)
        #expect(eventually { health(instance, "/readyz") == 503 })
        #expect(health(instance, "/healthz") == 200)
        let late = try instance.client()
        try late.send(antom.delivery(reference: "LATE-1").request())
        #expect(try late.receive().status == 200)
        #expect(instance.waitForEnd() == 0)
        #expect(try instance.references() == ["LATE-1"])
    }

    @Test func `a request in flight is finished and its connection closed`() throws {
        let patient = "drainSecondsMax: 3600, bodyIdleSecondsMax: 3600, bodySecondsMax: 3600"
        let instance = try Instance(edit: { $0 + "\nloops: 1\nlimits: {\(patient)}\n" })
        let parts = halves(
            try SandboxProvider("antom", of: instance).delivery(reference: "FLIGHT-1").request())
        let client = try instance.client()
        try client.send(parts.most)
        // An answer to a later client of the same event loop proves that the bytes have been read.
        let later = try instance.client()
        try later.send("GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(try later.receive().status == 404)
        instance.process.signal(SIGTERM)
        #expect(eventually { (try? instance.client()) == nil }, "the listener closes")
        try client.send(parts.last)
        let answer = try client.receive()
        #expect(answer.status == 200 && answer.fields["connection"] == "close")
        #expect(instance.waitForEnd() == 0)
        #expect(try instance.references() == ["FLIGHT-1"])
    }

    @Test func `the drain is forced at its limit`() throws {
        let instance = try Instance(edit: {
            $0 + "\nlimits: {drainSecondsMax: 1, bodyIdleSecondsMax: 3600, bodySecondsMax: 3600}\n"
        })
        let client = try instance.client()
        try client.send("POST /ipn/antom HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
        #expect(health(instance, "/readyz") == 200)
        // Without this limit it would wait for the body for up to an hour.
        instance.process.signal(SIGTERM)
        #expect(eventually { !instance.process.isRunning })
        #expect(instance.process.terminationStatus == 0)
        #expect(client.isClosedByServer())
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a second signal ends the drain at once`(_ second: Int32) throws {
        let instance = try Instance(edit: { $0 + "\ndrainDelaySeconds: 3600\n" })
        let client = try instance.client()
        try client.send("POST /ipn/antom HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
        instance.process.signal(SIGTERM)
        #expect(eventually { health(instance, "/readyz") == 503 })
        instance.process.signal(second)
        #expect(eventually { !instance.process.isRunning })
        #expect(instance.process.terminationStatus == 0)
    }

    @Test func `a reload takes up new endpoints without dropping a connection`() throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        let client = try instance.client()
        try client.send(antom.delivery(reference: "RELOAD-1").request())
        #expect(try client.receive().status == 200)
        let text = try String(contentsOfFile: instance.configurationFile, encoding: .utf8)
        try text.replacingOccurrences(of: "/ipn/antom", with: "/ipn/moved")
            .write(toFile: instance.configurationFile, atomically: true, encoding: .utf8)
        instance.process.signal(SIGHUP)
        #expect(eventually { instance.logText.contains("reloaded") })
        try client.send(antom.delivery(reference: "RELOAD-2").request())
        #expect(try client.receive().status == 404, "the same connection, the new paths")
        try client.send(antom.delivery(reference: "RELOAD-3", path: "/ipn/moved").request())
        #expect(try client.receive().status == 200)
    }

    @Test(arguments: ["listeners: [", "unknown: 1\n", ""])
    func `a bad configuration is refused and the old one stays`(_ bad: String) throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        try bad.write(toFile: instance.configurationFile, atomically: true, encoding: .utf8)
        instance.process.signal(SIGHUP)
        #expect(eventually { instance.logText.contains("reload refused") })
        let client = try instance.client()
        try client.send(antom.delivery(reference: "KEPT-1").request())
        #expect(try client.receive().status == 200)
    }

    @Test func `what only a restart can change is refused`() throws {
        let instance = try Instance()
        let text = try String(contentsOfFile: instance.configurationFile, encoding: .utf8)
        try (text + "\nloops: 3\n").write(
            toFile: instance.configurationFile, atomically: true, encoding: .utf8)
        instance.process.signal(SIGHUP)
        #expect(eventually { instance.logText.contains("needs a restart") })
    }
}
