import Configuration
import JournalStore
import Providers
import Receiver

// The configuration's words, translated into each module's settings.

extension EndpointTable {
    init(_ configuration: Configuration, metrics: Metrics) {
        self.init(
            configuration.endpoints.map { endpoint in
                Endpoint(
                    name: endpoint.name, path: endpoint.path, publicPath: endpoint.publicPath,
                    providerName: endpoint.system, provider: endpoint.provider,
                    marks: ProviderRegistry.all[endpoint.system]?.marks(endpoint.settings)
                        ?? Marks(),
                    allow: endpoint.allow, unsignedFrom: endpoint.unsignedFrom,
                    counters: metrics.counters(of: endpoint.name))
            }, inspectedBytesMax: configuration.rejections.inspectedBytesMax)
    }
}

extension JournalStoreOptions {
    init(_ configuration: Configuration) {
        self.init()
        journal.segmentBytes = configuration.journal.segmentMiB << 20
        // A segment below 16 MiB holds at least two frames, and a frame two records.
        journal.frameBytesMax = min(journal.frameBytesMax, journal.segmentBytes / 2)
        journal.recordBytesMax = min(journal.recordBytesMax, journal.frameBytesMax / 2)
        queueSubmissionsMax = configuration.queue.queueSubmissionsMax
        queueBytesMax = configuration.queue.queueBytesMax
        recentBytesMax = configuration.queue.recentBytesMax
        orderFactsMax = configuration.queue.orderFactsMax
        // A loop takes at most twice as many events in a round; its end comes within milliseconds.
        rounds.submissionsMax = 128
        snapshotRecords = configuration.journal.snapshotRecords
        snapshotSeconds = configuration.journal.snapshotSeconds
        dedupRetainDays = configuration.journal.dedupRetainDays
        if configuration.journal.retainDays > 0 {
            retention = JournalRetention(
                days: configuration.journal.retainDays,
                disposal: configuration.journal.archive == .move ? .archive : .delete)
        }
    }
}

extension RejectionLog.Bounds {
    init(_ configuration: RejectionsConfiguration) {
        self.init(
            countMax: configuration.countMax, bytesMax: configuration.bytesMax,
            perSecondMax: configuration.perSecondMax)
    }
}

extension Configuration {
    /// What differs in `fresh` although a running server cannot change it; nil when nothing does.
    func differenceThatNeedsRestart(_ fresh: Configuration) -> String? {
        if listeners.map(\.address) != fresh.listeners.map(\.address) { return "listeners" }
        if listeners.map(\.permissions) != fresh.listeners.map(\.permissions) {
            return "the file mode of a listener"
        }
        if loops != fresh.loops { return "loops" }
        if admin?.address != fresh.admin?.address { return "admin" }
        if admin?.permissions != fresh.admin?.permissions { return "the file mode of admin" }
        if journal != fresh.journal { return "journal" }
        if queue != fresh.queue { return "the queue's limits" }
        if indexDirectory != fresh.indexDirectory { return "index" }
        if rejections != fresh.rejections { return "rejections" }
        return nil
    }
}
