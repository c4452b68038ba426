import AdminAPI
import HTTPServer
import Platform
import Receiver
import ServerConfiguration
import Synchronization

/// Collects the metrics of the whole server for `/metrics`.
final class Figures: Sendable {
    /// The configuration in use; certificates change at a reload.
    private let running: Mutex<Configuration>
    private let metrics: Metrics
    private let storage: any StorageModule
    private let delivery: DeliveryModule?
    private let inquiry: InquiryModule
    private let telemetry: TelemetryModule?
    private let receiver: HTTPServer
    /// The admin listener, after it is opened, and its counters.
    private let admin = Mutex<(server: HTTPServer, gate: TokenGate, audit: AuditLog)?>(nil)
    /// Whether the last reload succeeded, and the time of the last success.
    private let reading: Mutex<(isSuccessful: Bool, succeeded: Int)>
    private let clock: any Clock

    init(
        _ configuration: Configuration, metrics: Metrics, storage: any StorageModule,
        delivery: DeliveryModule?, inquiry: InquiryModule, telemetry: TelemetryModule?,
        receiver: HTTPServer, clock: any Clock
    ) {
        reading = Mutex((isSuccessful: true, succeeded: clock.coarseWallSeconds))
        self.clock = clock
        running = Mutex(configuration)
        self.metrics = metrics
        self.storage = storage
        self.delivery = delivery
        self.inquiry = inquiry
        self.telemetry = telemetry
        self.receiver = receiver
    }

    func reload(_ fresh: Configuration) { running.withLock { $0 = fresh } }

    /// Records whether a reload succeeded.
    func noteReload(_ isDone: Bool) {
        reading.withLock { reading in
            reading.isSuccessful = isDone
            if isDone { reading.succeeded = clock.coarseWallSeconds }
        }
    }

    /// Adds the admin listener.
    func watch(_ server: HTTPServer, _ gate: TokenGate, _ audit: AuditLog) {
        admin.withLock { $0 = (server, gate, audit) }
    }

    /// The page in the Prometheus text format.
    func page() async -> [UInt8] {
        let configuration = running.withLock { $0 }
        var page = MetricsPage()
        metrics.write(to: &page)
        await storage.write(to: &page)
        page.write(destinations: await delivery?.service.statuses() ?? [])
        await inquiry.write(to: &page)
        await telemetry?.write(to: &page)
        page.write(connections: receiver.connections)
        page.write(handshakes: receiver.handshakes)
        page.write(overdue: await storage.lists.overdueCount())
        if let (server, gate, audit) = admin.withLock(\.self) {
            let readers = server.readers
            page.write(heldForReaders: readers.heldBytes, dropped: readers.dropped)
            let wrong = gate.refused
            page.write(
                wrongTokens: TokenGate.Carrier.allCases.map { ($0.rawValue, wrong[$0] ?? 0) })
            page.write(auditFailures: audit.figures.failed)
        }
        page.write(certificates: configuration.certificateExpiries)
        page.write(process: ProcessFigures.read())
        let reading = reading.withLock { $0 }
        page.write(build: Ipnd.version)
        page.write(configurationIsCurrent: reading.isSuccessful, readAt: reading.succeeded)
        return Array(page.text.utf8)
    }
}

extension Configuration {
    /// Each TLS listener's address, and when its first certificate expires.
    fileprivate var certificateExpiries: [(listener: String, notAfter: Int64)] {
        var all = listeners.compactMap { listener in
            listener.tls.map { (listener: "\(listener.address)", notAfter: $0.context.notAfter) }
        }
        if let admin, let tls = admin.tls {
            all.append((listener: "\(admin.address)", notAfter: tls.context.notAfter))
        }
        return all
    }
}
