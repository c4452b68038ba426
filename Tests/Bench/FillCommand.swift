import ArgumentParser
import Commands
import Console
import Glibc
import JournalStore
import Payments
import Platform
import PostgreSQLStore
import Providers
import Records
import ServerConfiguration
import Store

/// `ipnd-bench fill`: fills a journal or a database with a history. Notifications are signed,
/// verified and recorded by the server's code, without sockets. Prints the growth of the process
/// per order, in bytes.
struct FillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fill", abstract: "Record signed notifications without a server.")

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var spread: SpreadOptions
    @Option(help: "The endpoint to sign for.") var endpoint: String
    @Option(help: "Number of different notifications.") var count = 1000
    @Option(help: "Prefix of the references.") var prefix = "HISTORY"

    /// Maximum number of notifications that wait for the disk, below the capacity of the queue.
    private static let inFlight = 4000

    func run() async throws {
        let configuration = try file.load()
        let load = try SignedLoad(
            configuration, endpoint: endpoint, prefix: prefix, spread: spread,
            clock: SystemClock())
        let store = try store(configuration)
        // The first tenth warms up pools and queues, and is not measured.
        let warm = count / 10
        try await Self.record(0..<warm, of: load, in: store)
        let before = Self.residentBytes
        try await Self.record(warm..<count, of: load, in: store)
        StandardOutput.print("\((Self.residentBytes - before) / max(1, count - warm))")
        await store.close()
    }

    private func store(_ configuration: Configuration) throws -> any Store {
        if let database = configuration.database {
            let options = DatabaseOptions(configuration, database)
            return PostgreSQLStore(
                database.connection, database.session, options: options, clock: SystemClock()
            ) { news in
                if case .away(_, let text) = news { StandardError.print("ipnd: \(text)") }
            }
        }
        var options = JournalStoreOptions(configuration)
        // One snapshot, at the end: writing one takes memory besides the tables.
        options.snapshotRecords = count + 1
        // No event loop ends a round here, so that the last, short one would wait forever.
        options.rounds.submissionsMax = 0
        let journal = try configuration.requireJournal()
        return try JournalStore(directory: journal.directory, options: options)
    }

    private static var residentBytes: Int {
        // The second word is the resident set in pages (proc(5)).
        let contents = try? FileContents(path: "/proc/self/statm", bytesMax: 4096)
        let words = contents.map { String(decoding: $0.bytes, as: UTF8.self).split(separator: " ") }
        guard let words, words.count > 1, let pages = Int(words[1]) else { return 0 }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    private static func record(
        _ numbers: Range<Int>, of load: SignedLoad, in store: some Store
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in numbers {
                if number - numbers.lowerBound >= inFlight { try await group.next() }
                group.addTask { try await record(number, of: load, in: store) }
            }
            try await group.waitForAll()
        }
    }

    private static func record(_ number: Int, of load: SignedLoad, in store: some Store)
        async throws
    {
        let sent = try load.delivery(number)
        let received = Timestamp(microseconds: load.clock.wallMicroseconds)
        let (notification, key) = try judge(
            sent.delivery(received: received), load.endpoint.provider)
        let receipt = await store.record(
            Submission(
                endpoint: load.endpoint.name, provider: load.endpoint.system, key: key,
                notification: notification,
                request: RecordedRequest(
                    method: sent.method, target: Array(sent.target.utf8)[...],
                    headers: sent.headers, body: sent.body),
                peer: "127.0.0.1", received: received))
        guard case .recorded = receipt.outcome else {
            StandardError.print("ipnd: not recorded: \(receipt.outcome)")
            throw ExitCode(EX_SOFTWARE)
        }
    }

    private static func judge(
        _ delivery: SignedRequest, _ provider: some Provider
    ) throws(Refusal) -> (notification: Notification, key: String) {
        let verified = try provider.verify(delivery)
        return (provider.interpret(verified.evidence), verified.key)
    }
}
