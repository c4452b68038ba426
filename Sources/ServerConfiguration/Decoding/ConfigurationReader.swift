import HTTP
import Platform
import Providers
import Yams

/// Reads the top level of a configuration and its small sections. Extensions in other files read
/// listeners, endpoints, destinations and storage.
struct ConfigurationReader {
    let reading: DecodingContext
    let root: MappingReader

    init?(_ node: Node, _ reading: DecodingContext) {
        let place = ValueReader(node: node, key: "", schema: "", reading: reading)
        guard case .mapping = node, let root = place.mapping() else {
            place.mistake(
                "the file is \(place.kind), not keys with values",
                "begin with `listeners:`; config/ipnd.yaml shows every key")
            return nil
        }
        self.reading = reading
        self.root = root
    }

    /// The whole configuration; nil when a required part is missing or broken. `reading` holds the
    /// mistakes in both cases.
    func configuration() -> Configuration? {
        let listeners = listeners()
        let admin = root.optional("admin").flatMap { self.admin($0) }
        let outcome = root.optional("outcome").flatMap {
            self.outcome($0, hasAdmin: root.contains("admin"))
        }
        let (limits, queue, verification) = limits()
        let places = endpointPlaces()
        let endpoints = endpoints(places.values, verification)
        let isComplete = places.isComplete && endpoints.count == places.values.count
        let destinations = destinations(isComplete ? endpoints.map(\.name) : nil)
        let delivery = deliveryLimits()
        let storage = storage(limits)
        let loops = root.optional("loops")?.integer(in: 0...1024) ?? 0
        let drainDelay = root.optional("drainDelaySeconds")?.integer(in: 0...3600) ?? 0
        // With a database, both directories are where they would be with a journal beside the
        // configuration.
        let data = storage?.journal?.directory ?? "\(reading.folder)/journal"
        let rejections = rejections(beside: data)
        // With a database these are beside the rejection log, which is where the service may write.
        let written = storage?.journal?.directory ?? rejections.directory
        let audit = audit(beside: written)
        let alerts = alerts(beside: written)
        let telemetry = telemetry()
        let personal = personal()
        let figures = figures(beside: written)
        let index = index(beside: data)
        let log = log()
        root.finish()
        checkAddresses(listeners, admin, outcome)
        let liveReason = warnOfSandbox(listeners, places.values, endpoints)
        guard let storage, !reading.hasMistakes else { return nil }
        return Configuration(
            file: reading.file, folder: reading.folder, listeners: listeners.map(\.value),
            admin: admin?.value, outcome: outcome?.value, storage: storage, endpoints: endpoints,
            providers: reading.providers,
            destinations: destinations, delivery: delivery, limits: limits,
            queue: queue, verification: verification,
            loops: loops > 0 ? loops : Processors.usable(), drainDelaySeconds: drainDelay,
            indexDirectory: index, rejections: rejections,
            audit: audit, figuresDirectory: figures, alerts: alerts, telemetry: telemetry,
            personal: personal,
            memory: reading.memory, memoryFiles: memoryFiles(beside: data), log: log,
            liveReason: liveReason,
            warnings: reading.findings.sorted(by: Finding.isInOrder))
    }

    private func limits() -> (Limits, QueueLimits, VerificationLimits) {
        var limits = Limits()
        var queue = QueueLimits()
        var verification = VerificationLimits()
        guard let section = root.optional("limits")?.mapping() else {
            return (limits, queue, verification)
        }
        for limit in Limits.all {
            guard let value = section.optional(limit.name)?.integer(in: limit.range) else {
                continue
            }
            limits[keyPath: limit.path] = value
        }
        for limit in QueueLimitName.all {
            guard let value = section.optional(limit.name)?.integer(in: limit.range) else {
                continue
            }
            queue[keyPath: limit.path] = value
        }
        for limit in VerificationLimitName.all {
            guard let value = section.optional(limit.name)?.integer(in: limit.range) else {
                continue
            }
            verification[keyPath: limit.path] = value
        }
        section.finish()
        return (limits, queue, verification)
    }

    func journal(_ value: ValueReader, _ limits: Limits) -> JournalConfiguration? {
        guard let section = value.mapping() else { return nil }
        let directory = section.required("directory", "write `directory: journal`")?.path()
        var journal = JournalConfiguration(directory: directory ?? "")
        if let segment = section.optional("segmentMiB"), let size = segment.integer(in: 2...4096) {
            journal.segmentMiB = size
            check(segment, holdsBodiesOf: limits.bodyBytesMax, size)
        }
        section.optional("retainDays")?.integer(in: 0...36_500).map { journal.retainDays = $0 }
        section.optional("retainUndeliveredDays")?.integer(in: 0...36_500)
            .map { journal.retainUndeliveredDays = $0 }
        section.optional("archive")?.choice().map { journal.archive = $0 }
        section.optional("dedupRetainDays")?.integer(in: 30...36_500)
            .map { journal.dedupRetainDays = $0 }
        section.optional("snapshotRecords")?.integer(in: 0...100_000_000)
            .map { journal.snapshotRecords = $0 }
        section.optional("snapshotHours")?.integer(in: 1...8760).map { journal.snapshotHours = $0 }
        section.optional("indexWaitSeconds")?.integer(in: 0...600)
            .map { journal.indexWaitSeconds = $0 }
        section.finish()
        return directory == nil ? nil : journal
    }

    /// Checks that a record fits into a segment. A record may take a quarter of a small segment
    /// (`JournalStoreOptions.init(_: Configuration)`), and a body in Base64 with its headers up to
    /// twice its bytes.
    private func check(_ segment: ValueReader, holdsBodiesOf bodyBytesMax: Int, _ size: Int) {
        guard size < 16, size << 20 < 8 * bodyBytesMax else { return }
        segment.mistake(
            "is too small for bodies of \(bodyBytesMax) bytes, which limits.bodyBytesMax allows",
            "write at least 16, or lower limits.bodyBytesMax to \(size << 17)")
    }

    private func memoryFiles(beside journal: String) -> ProviderMemoryFiles {
        let parent = journal.lastIndex(of: "/").map { journal[..<$0] } ?? ""
        return ProviderMemoryFiles(directory: "\(parent)/memory")
    }

    /// Reads `rejections`. By default the log is beside the journal, because a process that may
    /// write to the journal may also write there.
    private func rejections(beside journal: String) -> RejectionsConfiguration {
        let parent = journal.lastIndex(of: "/").map { journal[..<$0] } ?? ""
        var rejections = RejectionsConfiguration(directory: "\(parent)/rejections")
        guard let section = root.optional("rejections")?.mapping() else { return rejections }
        section.optional("directory")?.path().map { rejections.directory = $0 }
        section.optional("countMax")?.integer(in: 1...10_000_000).map { rejections.countMax = $0 }
        section.optional("bytesMax")?.integer(in: 1 << 16...1 << 36)
            .map { rejections.bytesMax = $0 }
        section.optional("perSecondMax")?.integer(in: 0...1_000_000)
            .map { rejections.perSecondMax = $0 }
        section.optional("inspectedBytesMax")?.integer(in: 0...1 << 30)
            .map { rejections.inspectedBytesMax = $0 }
        section.finish()
        return rejections
    }

    /// Reads `figures`: the directory of the figures that the pages show over restarts.
    private func figures(beside journal: String) -> String {
        let parent = journal.lastIndex(of: "/").map { journal[..<$0] } ?? ""
        let beside = "\(parent)/figures"
        guard let section = root.optional("figures")?.mapping() else { return beside }
        defer { section.finish() }
        return section.optional("directory")?.path() ?? beside
    }

    private func audit(beside journal: String) -> AuditConfiguration {
        let parent = journal.lastIndex(of: "/").map { journal[..<$0] } ?? ""
        var audit = AuditConfiguration(directory: "\(parent)/audit")
        guard let section = root.optional("audit")?.mapping() else { return audit }
        section.optional("directory")?.path().map { audit.directory = $0 }
        section.optional("retainDays")?.integer(in: 1...36_500).map { audit.retainDays = $0 }
        section.optional("bytesMax")?.integer(in: 16 << 20...1 << 40).map { audit.bytesMax = $0 }
        section.finish()
        return audit
    }

    /// Reads `index`. By default the index is beside the journal, as the rejection log is.
    private func index(beside journal: String) -> String {
        let parent = journal.lastIndex(of: "/").map { journal[..<$0] } ?? ""
        let beside = "\(parent)/index"
        guard let section = root.optional("index")?.mapping() else { return beside }
        defer { section.finish() }
        if root.contains("database") {
            root.mistake(
                "index", "a database needs no index of orders", "remove this key")
        }
        return section.optional("directory")?.path() ?? beside
    }

    private func log() -> LogConfiguration {
        var log = LogConfiguration()
        guard let section = root.optional("log")?.mapping() else { return log }
        section.optional("level")?.choice().map { log.level = $0 }
        section.optional("format")?.choice().map { log.format = $0 }
        section.optional("repeatSeconds")?.integer(in: 0...3600).map { log.repeatSeconds = $0 }
        section.finish()
        return log
    }
}

/// The number of processors that this process may run on.
enum Processors {
    /// The number of processors that the scheduler may give this process, from `/proc/self/status`
    /// (proc(5)). In a container or under `taskset` there are fewer than the machine has, which
    /// `sysconf(_SC_NPROCESSORS_ONLN)` does not show.
    static func usable() -> Int {
        guard let contents = try? FileContents(path: "/proc/self/status", bytesMax: 65_536) else {
            return 1
        }
        return usable(status: String(decoding: contents.bytes, as: UTF8.self)) ?? 1
    }

    /// Counts the bits of the line `Cpus_allowed:`, words of 32 bits in hex, joined by commas.
    static func usable(status: String) -> Int? {
        let name = "Cpus_allowed:"
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else {
            return nil
        }
        let digits = line.dropFirst(name.count).compactMap(\.hexDigitValue)
        let count = digits.reduce(0) { $0 + $1.nonzeroBitCount }
        return count > 0 ? count : nil
    }
}
