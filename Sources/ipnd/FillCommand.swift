import ArgumentParser
import Configuration
import Glibc
import Payments
import Platform
import Providers
import Store

/// Fills a journal with a history, as `scripts/bench` needs it: signed, verified and recorded by
/// the same code as behind a socket, only without the socket. Not for use: hidden from the help.
struct FillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fill", abstract: "Records signed notifications without a server.",
        shouldDisplay: false)

    @OptionGroup var file: ConfigurationOption
    @Option(help: "The endpoint to sign for.") var endpoint: String
    @Option(help: "How many different notifications.") var count = 1000
    @Option(help: "What the references begin with.") var prefix = "HISTORY"

    /// How many wait for the disk together; below what the store's queue holds.
    private static let inFlight = 4000

    func run() async throws {
        let configuration = try file.load()
        let load = try SignedLoad(configuration, endpoint: endpoint, prefix: prefix)
        let store = try JournalStore(
            directory: configuration.journal.directory,
            options: JournalStoreOptions(configuration))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                if number >= Self.inFlight { try await group.next() }
                group.addTask { try await Self.record(load, number, in: store) }
            }
            try await group.waitForAll()
        }
        await store.close()
    }

    private static func record(_ load: SignedLoad, _ number: Int, in store: JournalStore)
        async throws
    {
        let sent = try load.delivery(number)
        let (notification, key) = try judge(sent.delivery, load.endpoint.provider)
        let receipt = await store.record(
            Submission(
                endpoint: load.endpoint.name, provider: load.endpoint.system, key: key,
                notification: notification,
                request: RecordedRequest(
                    method: sent.method, target: Array(sent.target.utf8)[...],
                    headers: sent.headers.map { RecordedHeader(name: $0.name, value: $0.value) },
                    body: sent.body),
                peer: "127.0.0.1", received: Timestamp(microseconds: WallClock.microseconds())))
        guard case .recorded = receipt.outcome else {
            StandardError.print("ipnd: not recorded: \(receipt.outcome)")
            throw ExitCode(EX_SOFTWARE)
        }
    }

    private static func judge(
        _ delivery: Delivery, _ provider: some Provider
    ) throws(Refusal) -> (notification: Notification, key: String) {
        let verified = try provider.verify(delivery)
        return (provider.interpret(verified.evidence), verified.key)
    }
}
