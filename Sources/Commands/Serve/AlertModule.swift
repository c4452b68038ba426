import AdminAPI
import Alerts
import Logging
import Platform
import ServerConfiguration
import Store
import WebClient

/// Wires the alerts to people.
final class AlertModule: Sendable {
    private let service: AlertService
    private let client: WebClient
    private let clock: any Clock
    private let task: Task<Void, Never>

    /// Starts the checks; nil without `alerts`.
    init?(
        _ configuration: Configuration, _ storage: any StorageModule, _ metrics: Figures,
        _ logger: Logger, clock: any Clock
    ) {
        guard let alerts = configuration.alerts else { return nil }
        storage.openLists(configuration, logger)
        let client = WebClient(idleConnectionsMax: 1)
        self.client = client
        self.clock = clock
        let service = AlertService(
            folder: alerts.directory, settings: alerts.settings,
            channels: alerts.channels(client, clock), clock: clock,
            figures: {
                let page = String(decoding: await metrics.page(), as: UTF8.self)
                var found = AlertFigures(MetricsReading(page), now: clock.coarseWallSeconds)
                found.hindrance = storage.hindrance
                found.review = await Self.reviews(storage.lists)
                return found
            },
            log: { isWarning, text in
                logger.log(level: isWarning ? .warning : .info, "\(text)")
            })
        self.service = service
        task = Task(executorPreference: BackgroundExecutor.shared) { await service.run() }
    }

    /// Applies a reloaded configuration.
    func reload(_ fresh: AlertsConfiguration) async {
        await service.reload(fresh.settings, fresh.channels(client, clock))
    }

    /// Longest wait for a message that is being sent. It is sent again after the next start, with
    /// the same id.
    private static let stopSecondsMax = 5

    func stop() async {
        task.cancel()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        Task(executorPreference: WorkerPool.shared) { [task] in
            await task.value
            end.finish()
        }
        Task(executorPreference: WorkerPool.shared) { [clock] in
            try? await clock.sleep(seconds: Self.stopSecondsMax)
            end.finish()
        }
        for await _ in ends {}
        client.close()
    }

    /// More orders in review than this are so many.
    private static let reviewsMax = 1000

    private static func reviews(_ lists: any OrderLists) async -> Int? {
        var query = OrderQuery()
        query.statuses = [.review]
        return try? await lists.page(query, limit: reviewsMax).orders.count
    }
}

extension AlertsConfiguration {
    /// The configured ways.
    func channels(_ client: WebClient, _ clock: any Clock) -> [any AlertChannel] {
        var channels: [any AlertChannel] = []
        if let webhook {
            channels.append(
                AlertWebhook(
                    url: webhook.url, headers: webhook.headers, route: webhook.route,
                    signer: webhook.signer, client: client, clock: clock))
        }
        if let mail {
            channels.append(
                AlertMail(from: mail.from, to: mail.to, command: mail.command, clock: clock))
        }
        return channels
    }
}

extension AlertFigures {
    /// The figures of a metrics page.
    ///
    /// - Parameter now: Seconds since 1970.
    init(_ reading: MetricsReading, now: Int) {
        self.init()
        func counts(_ name: String, by label: String) -> [String: Int] {
            var counts: [String: Int] = [:]
            for sample in reading.all(name) {
                counts[sample.labels[label] ?? "", default: 0] += Int(sample.value)
            }
            return counts
        }
        func open(_ name: String, by label: String) -> [String] {
            reading.all(name).filter { $0.value > 0 }.compactMap { $0.labels[label] }
        }
        availableBytes = reading["ipnd_journal_available_bytes"].map { Int($0) }
        overdue = reading["ipnd_orders_overdue"].map { Int($0) }
        deadLetters = counts("ipnd_delivery_dead_letters", by: "destination")
        failingDestinations = open("ipnd_delivery_breaker_open", by: "destination")
        failingInquiries = open("ipnd_inquiry_breaker_open", by: "endpoint")
        requests = counts("ipnd_notifications_total", by: "endpoint")
        unknownPaths = counts("ipnd_unknown_path_total", by: "nearest")
        for sample in reading.all("ipnd_redactions_total") where sample.labels["what"] != "value" {
            cardData[sample.labels["endpoint"] ?? "", default: 0] += Int(sample.value)
        }
        for sample in reading.all("ipnd_refusals_total") {
            guard let endpoint = sample.labels["endpoint"], let reason = sample.labels["reason"],
                !endpoint.isEmpty
            else { continue }
            refusals[.init(endpoint: endpoint, reason: reason), default: 0] += Int(sample.value)
        }
        certificates = reading.all("ipnd_certificate_expiry_timestamp_seconds").map { sample in
            .init(
                listener: sample.labels["listener"] ?? "", secondsLeft: Int(sample.value) - now)
        }
        reloadWasRefused = reading["ipnd_config_last_reload_successful"] == 0
    }
}
