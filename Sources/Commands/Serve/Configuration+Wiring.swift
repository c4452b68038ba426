import ArgumentParser
import Console
import Delivery
import Glibc
import JournalStore
import Providers
import Receiver
import Redaction
import ServerConfiguration

// Conversions of the configuration to each module's settings.

extension EndpointTable {
    init(_ configuration: Configuration, metrics: Metrics) {
        self.init(
            configuration.endpoints.map { endpoint in
                Endpoint(
                    name: endpoint.name, path: endpoint.path, publicPath: endpoint.publicPath,
                    providerName: endpoint.system, provider: endpoint.provider,
                    marks: endpoint.descriptor.marks(endpoint.settings),
                    allow: endpoint.allow, unsignedFrom: endpoint.unsignedFrom,
                    redactor: Redactor(
                        endpoint.redact, hashKey: configuration.personal.hashKey),
                    counters: metrics.counters(of: endpoint.name))
            }, providers: configuration.providers,
            inspectedBytesMax: configuration.rejections.inspectedBytesMax)
    }
}

extension Configuration {
    /// Returns the journal. With a database instead, ends with 78 (EX_CONFIG).
    package func requireJournal() throws -> JournalConfiguration {
        if let journal { return journal }
        StandardError.print(
            "ipnd: this command needs a journal, and \(file) configures a database instead")
        throw ExitCode(EX_CONFIG)
    }
}

extension JournalStoreOptions {
    package init(_ configuration: Configuration) {
        self.init()
        queueSubmissionsMax = configuration.queue.queueSubmissionsMax
        queueBytesMax = configuration.queue.queueBytesMax
        recentBytesMax = configuration.queue.recentBytesMax
        orderFactsMax = configuration.queue.orderFactsMax
        masterKeys = configuration.personal.masterKeys
        // Half of the events that a loop takes in a round, which ends within milliseconds.
        rounds.submissionsMax = 128
        if let settings = configuration.journal { apply(settings) }
    }

    private mutating func apply(_ settings: JournalConfiguration) {
        journal.segmentBytes = settings.segmentMiB << 20
        // A segment below 16 MiB holds at least two frames, and a frame two records.
        journal.frameBytesMax = min(journal.frameBytesMax, journal.segmentBytes / 2)
        journal.recordBytesMax = min(journal.recordBytesMax, journal.frameBytesMax / 2)
        snapshotRecords = settings.snapshotRecords
        snapshotSeconds = settings.snapshotSeconds
        dedupRetainDays = settings.dedupRetainDays
        if settings.retainDays > 0 {
            retention = JournalRetention(
                days: settings.retainDays,
                disposal: settings.archive == .move ? .archive : .delete,
                undeliveredDays: settings.retainUndeliveredDays)
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
    /// The first setting that differs and needs a restart; nil if there is none.
    func differenceThatNeedsRestart(_ fresh: Configuration) -> String? {
        if listeners.map(\.address) != fresh.listeners.map(\.address) { return "listeners" }
        if listeners.map(\.permissions) != fresh.listeners.map(\.permissions) {
            return "the file mode of a listener"
        }
        if loops != fresh.loops { return "loops" }
        if admin?.address != fresh.admin?.address { return "admin" }
        if admin?.permissions != fresh.admin?.permissions { return "the file mode of admin" }
        if outcome?.listener.address != fresh.outcome?.listener.address { return "outcome" }
        if outcome?.listener.permissions != fresh.outcome?.listener.permissions {
            return "the file mode of outcome"
        }
        if storage != fresh.storage { return fresh.journal == nil ? "database" : "journal" }
        if queue != fresh.queue { return "the queue's limits" }
        if indexDirectory != fresh.indexDirectory { return "index" }
        if rejections != fresh.rejections { return "rejections" }
        if audit != fresh.audit { return "audit" }
        if figuresDirectory != fresh.figuresDirectory { return "figures" }
        if (alerts == nil) != (fresh.alerts == nil) || alerts?.directory != fresh.alerts?.directory
        {
            return "whether there are alerts, or their directory"
        }
        if telemetry != fresh.telemetry { return "telemetry" }
        // URLs and secrets change at a reload; schedules and filters do not.
        let present = destinations.map(DeliveryDestination.init)
        if present != fresh.destinations.map(DeliveryDestination.init) {
            return "the filters or the schedule of a destination"
        }
        if delivery != fresh.delivery { return "delivery" }
        return nil
    }
}
