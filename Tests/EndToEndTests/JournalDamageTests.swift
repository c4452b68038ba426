import Foundation
import TestSupport
import Testing

/// `ipnd journal verify` and a start, after each kind of damage.
@Suite(.ownThreads) struct JournalDamageTests {
    /// A kind of damage to a journal of three segments.
    struct Damage: CustomTestStringConvertible, Sendable {
        let name: String
        let reason: String
        /// The reported file, as its index among the segments; nil for a snapshot.
        let segment: Int
        let act: @Sendable (_ segments: [String]) throws -> Void
        var testDescription: String { name }
    }

    /// Flips one bit.
    private static func flip(_ file: String, at offset: Int) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file))
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(offset))
        let byte = try #require(try handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: Data([byte ^ 1]))
    }

    static let damages: [Damage] = [
        Damage(name: "a bit of a header", reason: "journal_segment_header", segment: 1) {
            try flip($0[1], at: 20)
        },
        Damage(name: "a bit of a frame's header", reason: "journal_frame", segment: 0) {
            try flip($0[0], at: 512 + 20)
        },
        Damage(name: "a bit of a frame's chain", reason: "journal_frame", segment: 0) {
            try flip($0[0], at: 512 + 30)
        },
        Damage(name: "a bit of a record", reason: "journal_frame", segment: 1) {
            try flip($0[1], at: 512 + 5000)
        },
        Damage(name: "a bit in the last segment", reason: "journal_frame", segment: 2) {
            try flip($0[2], at: 512 + 200)
        },
        Damage(name: "a segment cut short", reason: "journal_segment_size", segment: 1) {
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: $0[1]))
            try handle.truncate(atOffset: 1 << 20)
            try handle.close()
        },
        Damage(name: "a segment removed", reason: "journal_segment_missing", segment: 2) {
            try FileManager.default.removeItem(atPath: $0[1])
        },
        Damage(name: "a segment renamed", reason: "journal_segment_renamed", segment: 1) {
            let name = URL(fileURLWithPath: $0[1]).lastPathComponent
            let other = String(format: "%010d", Int(name.prefix(10))! + 1)
            try FileManager.default.moveItem(
                atPath: $0[1], toPath: $0[1].replacingOccurrences(of: name.prefix(10), with: other))
        },
        Damage(name: "a frame overwritten with zeros", reason: "journal_frame", segment: 2) {
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: $0[2]))
            try handle.seek(toOffset: 512)
            try handle.write(contentsOf: Data(count: 512))
            try handle.close()
        },
    ]

    private static func tiny(_ text: String) -> String {
        text.replacingOccurrences(of: "journal: {directory: journal}", with: Instance.tinySegments)
    }

    /// The files of a journal of three segments, created once for all cases.
    private static let files: Result<[String: Data], any Error> = Result {
        let instance = try Instance(edit: tiny)
        let webhook = try SignedWebhook(instance)
        let client = try instance.client()
        for number in 1...45 {
            try client.send(webhook.request("DAMAGE-\(number)", padding: 100_000))
            #expect(try client.receive().status == 200)
        }
        // Killed, so that no snapshot replaces a segment.
        instance.stop(SIGKILL)
        var files: [String: Data] = [:]
        for segment in try segments(instance.journal) {
            let url = URL(fileURLWithPath: segment)
            files[url.lastPathComponent] = try Data(contentsOf: url)
        }
        return files
    }

    /// Copies the journal to a separate folder.
    private func copy(into folder: String) throws -> String {
        let journal = "\(folder)/journal"
        try FileManager.default.createDirectory(
            atPath: journal, withIntermediateDirectories: false)
        for (name, content) in try Self.files.get() {
            try content.write(to: URL(fileURLWithPath: "\(journal)/\(name)"))
        }
        return journal
    }

    private static func segments(_ journal: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: journal)
            .filter { $0.hasSuffix(".segment") }.sorted().map { "\(journal)/\($0)" }
    }

    @Test(arguments: damages)
    func `verify names file and offset`(_ damage: Damage) throws {
        let temporary = TemporaryFolder()
        defer { withExtendedLifetime(temporary) {} }
        let folder = temporary.path
        let journal = try copy(into: folder)
        let segments = try Self.segments(journal)
        try #require(segments.count == 3)
        let sound = try run(Binary.ipnd, ["journal", "verify", journal])
        #expect(sound.status == 0, "\(sound.errors)")

        try damage.act(segments)
        let verified = try run(Binary.ipnd, ["journal", "verify", journal])
        #expect(verified.status == 72)
        #expect(verified.errors.contains(damage.reason), "\(verified.errors)")
        #expect(verified.errors.contains("byte"), "\(verified.errors)")
        let name =
            damage.reason == "journal_segment_renamed"
            ? ".segment" : URL(fileURLWithPath: segments[damage.segment]).lastPathComponent
        #expect(verified.errors.contains(name), "\(verified.errors)")
    }

    @Test func `an anchor catches a journal that was written anew`() throws {
        let temporary = TemporaryFolder()
        defer { withExtendedLifetime(temporary) {} }
        let folder = temporary.path
        let journal = try copy(into: folder)
        let anchor = "\(folder)/anchor"
        let noted = try run(Binary.ipnd, ["journal", "stat", journal])
        let line = try #require(noted.lines.first { $0.contains("chain head") })
        try line.write(toFile: anchor, atomically: true, encoding: .utf8)
        let verify = { (journal: String) in
            try run(Binary.ipnd, ["journal", "verify", journal, "--anchor", anchor])
        }
        #expect(try verify(journal).status == 0)

        // Rewritten by an attacker who has the secret: valid in itself.
        let forged = try Instance(edit: Self.tiny)
        let client = try forged.client()
        try client.send(try SignedWebhook(forged).request("DAMAGE-1"))
        #expect(try client.receive().status == 200)
        forged.stop()
        #expect(try run(Binary.ipnd, ["journal", "verify", forged.journal]).status == 0)
        let caught = try verify(forged.journal)
        #expect(caught.status == 72)
        #expect(caught.errors.contains("anchor"))
    }
}
