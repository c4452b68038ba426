import AdminAPI
import ArgumentParser
import Console
import Delivery
import Glibc
import Journal
import JournalIndex
import JournalStore
import Logging
import Platform
import Receiver
import ServerConfiguration
import Store
import Synchronization

/// Records in a journal: the store, the feed from its files, and the index for lists.
final class JournalModule: StorageModule {
    private let journalStore: JournalStore
    private let directory: String
    private let priorUse: PriorUse
    private let index: ServedIndex
    private let clock: any Clock
    private let indexer = Mutex<Indexer?>(nil)
    private let deliveryProgress: DeliveryProgress
    private let warnings: RepeatedWarnings
    let records: any RecordSource

    /// Opens the journal. Throws an exit status after printing the reason.
    ///
    /// - Parameter acceptsNew: Accept a journal other than the one used before.
    init(
        _ configuration: Configuration, _ journal: JournalConfiguration, _ logger: Logger,
        acceptsNew: Bool, in environment: ServiceEnvironment, clock: any Clock
    ) throws {
        self.clock = clock
        index = ServedIndex(clock: clock)
        priorUse = PriorUse(configuration, journal)
        directory = journal.directory
        warnings = RepeatedWarnings(
            seconds: configuration.log.repeatSeconds, logger, clock: clock)
        let progress = DeliveryProgress(configuration.destinations.map(\.name))
        deliveryProgress = progress
        do throws(JournalError) {
            var options = JournalStoreOptions(configuration)
            options.deliveredThrough = { progress.deliveredThrough }
            if let refusal = try priorUse.contradiction() {
                guard acceptsNew else { throw .priorUse(refusal.description) }
                logger.warning("--new-journal: \(refusal)")
                options.journal.renewsIdentity = refusal.isSameStore
            }
            journalStore = try JournalStore(
                directory: directory, storage: environment.storage,
                options: options, environment: environment.store)
        } catch {
            StandardError.print("ipnd: \(JournalFailure.sentence(error))")
            if case .keys = error { throw ExitCode(EX_CONFIG) }
            // EX_OSFILE (72): the journal is locked or corrupt.
            throw ExitCode(EX_OSFILE)
        }
        logger.info("\(journalStore.recovery.sentence(directory))")
        records = JournalRecords(
            directory: directory, identity: journalStore.identity,
            commitFeed: journalStore.commitFeed)
    }

    var store: any Store { journalStore }
    var keys: RecordKeys? { journalStore.keys }
    var progress: DeliveryProgress? { deliveryProgress }
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
            ) { [warnings] in warnings.warn($0) }
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

    /// Notes the journal's identity and last sequence, which the next start checks.
    func noteUse(_ logger: Logger) {
        let failures = priorUse.note(
            journalStore.identity, sequence: journalStore.commitFeed.durableSequence)
        guard !failures.isEmpty else { return }
        logger.warning(
            "a replaced journal will not be noticed: \(failures.joined(separator: "; "))"
        )
    }
}

extension RecoveryReport {
    /// The log line about the opened journal.
    func sentence(_ directory: String) -> String {
        var parts = [
            "journal \(directory): \(counted(segments, "segment")), "
                + "\(counted(records, "record")) replayed"
        ]
        if let snapshot { parts.append("from the snapshot at sequence \(snapshot)") }
        for refused in snapshotsRefused { parts.append("skipped snapshot \(refused)") }
        if let torn {
            var text =
                "removed a torn tail of \(torn.bytes) bytes in \(torn.file) at byte "
                + "\(torn.offset), which was never acknowledged"
            if let copy = torn.copy { text += ", copy kept as \(copy)" }
            parts.append(text)
        }
        return parts.joined(separator: "; ")
    }
}
