import Foundation
import TestSupport
import Testing

/// `ipnd backup` with a running server, and recovery after its disk is lost.
@Suite(.ownThreads) struct BackupCommandTests {
    private static func tiny(_ text: String) -> String {
        text.replacingOccurrences(of: "journal: {directory: journal}", with: Instance.tinySegments)
    }

    private static func send(_ numbers: ClosedRange<Int>, to instance: Instance) throws {
        let webhook = try SignedWebhook(instance)
        let client = try instance.client()
        for number in numbers {
            try client.send(webhook.request("BACKUP-\(number)", padding: 100_000))
            try #require(try client.receive().status == 200)
        }
    }

    @Test func `a lost disk costs what came after the last backup`() throws {
        let instance = try Instance(edit: Self.tiny)
        let backup = "\(instance.folder)/backup"
        try Self.send(1...20, to: instance)
        let first = try run(Binary.ipnd, ["backup", instance.journal, "--to", backup])
        #expect(first.status == 0, "\(first.errors)")
        try Self.send(21...40, to: instance)
        let second = try run(Binary.ipnd, ["backup", instance.journal, "--to", backup])
        #expect(second.status == 0 && second.output.contains("verified"), "\(second.errors)")
        #expect(second.output.contains("up to 40"), "\(second.output)")
        #expect(try run(Binary.ipnd, ["journal", "verify", backup]).status == 0)
        try Self.send(41...41, to: instance)
        #expect(
            try eventually {
                try instance.admin().get("/orders?limit=1").object()["indexed"] as? Int == 41
            })
        instance.stop(SIGKILL)
        try FileManager.default.removeItem(atPath: instance.journal)
        let restored = try run(Binary.ipnd, ["restore", backup, "--to", instance.journal])
        #expect(restored.status == 0, "\(restored.errors)")

        // The missing records are reported, because the index still has them.
        let refused = try refusedStart(instance.configurationFile)
        #expect(refused.status == 72 && refused.errors.contains("journal_behind"))
        try instance.start(["--new-journal"])
        #expect(try instance.references() == (1...40).map { "BACKUP-\($0)" })
        // A retry of a lost notification is recorded.
        try Self.send(41...41, to: instance)
        #expect(try instance.references().count == 41)
        let again = try run(Binary.ipnd, ["restore", backup, "--to", instance.journal])
        #expect(again.status == 72 && again.errors.contains("is in use"), "\(again.errors)")
    }

    @Test func `a backup of nothing is 66`() throws {
        let temporary = TemporaryFolder()
        defer { withExtendedLifetime(temporary) {} }
        let folder = temporary.path
        let none = try run(Binary.ipnd, ["backup", "\(folder)/none", "--to", "\(folder)/b"])
        #expect(none.status == 66)
        let restored = try run(Binary.ipnd, ["restore", folder, "--to", "\(folder)/j"])
        #expect(restored.status == 66)
    }
}
