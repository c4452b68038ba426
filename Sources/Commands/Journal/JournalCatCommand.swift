import ArgumentParser
import Console
import Glibc
import Journal
import JournalStore
import Platform
import Records

/// `ipnd journal cat DIR`
struct JournalCatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cat", abstract: "Print records as JSON Lines.",
        discussion: """
            Without --follow, every valid record is printed; the last ones may not be durable yet. \
            --follow continues with new records of a running server and prints durable records \
            only. Sealed records are printed as they are stored, or opened with the master keys of \
            --config.

            Example: ipnd journal cat /var/lib/ipnd/journal --after 100
            """)

    @Argument(help: "The journal's directory.", completion: .directory) var directory: String
    @Option(help: "Start after this sequence number.") var after: UInt64 = 0
    @Option(help: "Maximum number of records.") var limit: Int?
    @Flag(help: "Continue with new records until interrupted.") var follow = false
    @Option(help: "Open sealed records with the master keys of this configuration.")
    var config: String?

    /// Pause between two reads of a followed journal.
    private static let pollMilliseconds = 100

    func validate() throws {
        guard (limit ?? 1) > 0 else { throw ValidationError("--limit must be at least 1") }
    }

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let clock = SystemClock()
        do {
            var reader = try JournalReader(
                directory: directory, after: after, extent: follow ? .durable : .whole)
            var opener = try SealedJournal.opener(directory, config: config)
            var rest = limit ?? .max
            repeat {
                let count = try print(from: &reader, &opener, limit: rest)
                rest -= count
                if follow, count == 0 {
                    try await clock.sleep(milliseconds: Self.pollMilliseconds)
                }
            } while follow && rest > 0
        } catch is OutputClosed {
            // `ipnd journal cat | head` is not a mistake.
            return
        } catch {
            throw JournalFailure.exit(error)
        }
    }

    private struct OutputClosed: Error {}

    private func print(
        from reader: inout JournalReader, _ opener: inout RecordOpener?, limit: Int
    ) throws -> Int {
        var lines: [UInt8] = []
        // Also if the journal is damaged: records before the damage are intact.
        defer { _ = StandardOutput.write(lines) }
        let count = try reader.read(limit: limit) { _, record in
            if let opened = try opener?.open(record) {
                lines += opened
            } else {
                lines.append(contentsOf: record)
            }
            lines.append(UInt8(ascii: "\n"))
            if lines.count >= 1 << 20 { try put(&lines) }
        }
        try put(&lines)
        return count
    }

    private func put(_ lines: inout [UInt8]) throws {
        guard StandardOutput.write(lines) else { throw OutputClosed() }
        lines.removeAll(keepingCapacity: true)
    }
}
