import Foundation
import TestSupport
import Testing

/// `ipnd status`, for people and for health checks.
@Suite(.ownThreads) struct StatusCommandTests {
    private static func status(_ instance: Instance, _ options: [String] = []) throws -> Finished {
        try run(
            Binary.ipnd,
            [
                "status", "--config", instance.configurationFile, "--url",
                "http://127.0.0.1:\(instance.adminPort)",
            ] + options)
    }

    @Test(arguments: StorageKind.all)
    func `one screen tells what there is`(on storage: StorageKind) throws {
        let instance = try Instance(
            on: storage,
            edit: { storage == .journal ? $0 + Instance.silentDestination : $0 })
        let antom = try SandboxProvider("antom", of: instance)
        let delivery = try antom.delivery(reference: "STATUS-1")
        try instance.deliver(delivery.request())
        try instance.deliver(delivery.request())
        let client = try instance.client()
        try client.send(delivery.replacing(header: "client-id", with: "X").request())
        #expect(try client.receive().status == 401)
        let shown = try Self.status(instance)
        #expect(shown.status == 0, "\(shown.errors)")
        let text = shown.output
        #expect(text.contains(": ready, up "), "\(text)")
        #expect(text.hasPrefix("ipnd \(try Self.version())"), "\(text)")
        #expect(text.contains("client_id_mismatch 1"), "\(text)")
        let place = storage == .journal ? "1 record in a journal of 1 segment, " : "in the database"
        #expect(text.contains(place), "\(text)")
        let rows = text.split(separator: "\n").suffix(2).map { line in
            line.split(separator: " ").map(String.init)
        }
        #expect(
            rows == [["endpoint", "recorded", "duplicate", "refused"], ["antom", "1", "1", "1"]],
            "\(text)")
        #expect(text.contains("delivering") == (storage == .journal), "\(text)")
    }

    @Test func `quiet says by its exit status alone`() throws {
        let instance = try Instance(edit: { $0 + "drainDelaySeconds: 60\n" })
        let ready = try Self.status(instance, ["--quiet"])
        #expect(ready.status == 0)
        #expect(ready.output.isEmpty && ready.errors.isEmpty)
        // It drains for a minute while its admin listener still answers.
        instance.process.signal(SIGTERM)
        #expect(eventually { (try? Self.status(instance, ["--quiet"]))?.status == 1 })
        let draining = try Self.status(instance, ["--quiet"])
        #expect(draining.errors.contains("not ready: shutting_down"), "\(draining.errors)")
        #expect(draining.output.isEmpty)
        #expect(try Self.status(instance).status == 1)
        #expect(instance.stop(SIGTERM) == 0)
        let gone = try Self.status(instance, ["--quiet"])
        #expect(gone.status == 69)
        #expect(!gone.errors.isEmpty)
    }

    @Test func `the version is told`() throws {
        let version = try Self.version()
        #expect(version.wholeMatch(of: /\d+\.\d+\.\d+/) != nil, "\(version)")
    }

    private static func version() throws -> String {
        try run(Binary.ipnd, ["--version"]).output.trimmingCharacters(in: .newlines)
    }
}
