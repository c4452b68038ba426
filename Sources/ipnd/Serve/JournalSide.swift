import AdminAPI
import ArgumentParser
import Configuration
import Delivery
import Glibc
import Journal
import JournalIndex
import JournalStore
import Logging
import Platform
import Receiver
import Store
import Synchronization

/// The record in a journal: the store, the feed from its files, the index for lists.
final class JournalSide: StorageSide {
    private let journalStore: JournalStore
    private let directory: String
    private let priorUse: PriorUse
    private let index: ServedIndex
    private let clock: any Clock
    private let indexer = Mutex<Indexer?>(nil)
    private let told: DeliveryProgress
    let records: any RecordSource

    /// Opens the journal. Throws an exit status after saying why.
    ///
    /// - Parameter acceptsNew: go on with what is there although another journal was used before.
    init(
        _ configuration: Configuration, _ journal: JournalConfiguration, _ logger: Logger,
        acceptsNew: Bool, clock: any Clock
    ) throws {
        self.clock = clock
        index = ServedIndex(clock: clock)
        priorUse = PriorUse(configuration, journal)
        directory = journal.directory
        let told = DeliveryProgress(configuration.destinations.map(\.name))
        self.told = told
        do throws(JournalError) {
            var options = JournalStoreOptions(configuration)
            options.toldThrough = { told.toldThrough }
            if let refusal = try priorUse.contradiction() {
                guard acceptsNew else { throw .priorUse(refusal.description) }
                logger.warning("--new-journal: \(refusal)")
                options.journal.renewsIdentity = refusal.isSameStore
            }
            journalStore = try JournalStore(
                directory: directory, storage: JournalEnvironment.storage,
                options: options, environment: JournalEnvironment.environment)
        } catch {
            StandardError.print("ipnd: \(error)")
            // EX_OSFILE (72): the journal is locked or corrupt.
            throw ExitCode(EX_OSFILE)
        }
        logger.info("\(journalStore.recovery.sentence(directory))")
        records = JournalRecords(
            directory: directory, identity: journalStore.identity,
            commitFeed: journalStore.commitFeed)
    }

    var store: any Store { journalStore }
    var progress: DeliveryProgress? { told }
    var lists: any OrderLists { index }
    var openOrders: any OpenOrders { index }
    var hindrance: String? {
        journalStore.statistics.spaceIsMissing ? StoreRefusal.noSpace.reason : nil
    }

    func openLists(_ configuration: Configuration, _ logger: Logger) {
        let isOpened = indexer.withLock { indexer in
            guard indexer == nil else { return false }
            indexer = Indexer(
                index, in: configuration.indexDirectory, directory: directory,
                commitFeed: journalStore.commitFeed, recent: journalStore.recent,
                lookUp: { [journalStore] in journalStore.orders($0) }, clock: clock
            ) { logger.warning("\($0)") }
            return true
        }
        guard isOpened, ServedIndex.isSmall(in: configuration.indexDirectory) else { return }
        let seconds = configuration.journal?.indexWaitSeconds ?? 0
        index.awaitFirstTry(milliseconds: Int32(clamping: seconds * 1000))
    }

    func flush() { journalStore.flush() }

    func write(to page: inout MetricsPage) async {
        page.write(journalStore.statistics)
        page.write(store: "\(journalStore.identity)")
        page.write(journal: directory)
        page.write(
            indexed: index.indexedSequence, recorded: journalStore.commitFeed.durableSequence)
        page.write(indexIsAvailable: index.isAvailable, rebuilds: index.rebuilds)
    }

    /// So that the next start knows which journal belongs here, and how far it went.
    func noteUse(_ logger: Logger) {
        let failures = priorUse.note(
            journalStore.identity, sequence: journalStore.commitFeed.durableSequence)
        guard !failures.isEmpty else { return }
        logger.warning(
            "an emptied or replaced journal will go unnoticed: \(failures.joined(separator: "; "))"
        )
    }
}
