import ArgumentParser
import Console
import Delivery
import Glibc
import Logging
import Platform
import PostgreSQL
import Receiver
import Sealing
import ServerConfiguration
import Telemetry
import WebClient

/// Wires the delivery of events to the merchant's systems.
final class DeliveryModule: Sendable {
    let service: DeliveryService
    private let client: WebClient
    private let transport: WebhookTransport

    /// Starts the delivery; nil if there is no destination. Throws an exit status after printing
    /// the reason.
    init?(
        _ configuration: Configuration, storage: any StorageModule, logger: Logger,
        in environment: ServiceEnvironment, tracing: WorkTracing?
    ) throws {
        guard !configuration.destinations.isEmpty else { return nil }
        let state: any DeliveryState
        let seal = SideSeal.deliveries(configuration.personal.masterKeys)
        switch configuration.storage {
        case .journal(let journal): state = try Self.state(journal, seal, logger)
        case .database(let database):
            state = PostgreSQLDeliveryState(
                environment.links(database), label: ProcessLabel.text,
                leaseSeconds: database.leaseSeconds, secondsMax: database.requestSecondsMax,
                seal: seal, clock: SystemClock())
        }
        client = WebClient(idleConnectionsMax: configuration.delivery.idleConnectionsMax)
        transport = WebhookTransport(
            client, configuration.webhookTargets, limits: configuration.delivery,
            clock: SystemClock())
        let opened: any DeliveryTransport =
            if let keys = storage.keys { OpenedTransport(transport, keys) } else { transport }
        let traced: any DeliveryTransport =
            if let tracing { TracedTransport(opened, tracing) } else { opened }
        service = DeliveryService(
            configuration.destinations.map(DeliveryDestination.init), source: storage.records,
            commitFeed: storage.store.commitFeed, state: state,
            transport: traced, limits: configuration.delivery,
            progress: storage.progress ?? DeliveryProgress([]), clock: SystemClock()
        ) { name, notice in
            let level: Logger.Level = notice.isWarning ? .warning : .info
            logger.log(level: level, "destination \(name): \(notice.sentence)")
        }
    }

    private static func state(
        _ journal: JournalConfiguration, _ seal: SideSeal, _ logger: Logger
    ) throws -> any DeliveryState {
        do throws(DeliveryStateFailure) {
            let (state, setAside) = try SQLiteDeliveryState.open(
                directory: journal.deliveryDirectory, seal: seal)
            if let setAside {
                logger.warning(
                    "the delivery state was damaged and is now \(setAside): delivery starts again")
            }
            return state
        } catch {
            StandardError.print("ipnd: \(error)")
            throw ExitCode(EX_OSFILE)
        }
    }

    /// Applies the secrets and URLs of a reloaded configuration.
    func reload(_ fresh: Configuration) { transport.replace(fresh.webhookTargets) }

    /// Stops, after waiting a limited time for the answers in flight.
    func stop() async {
        await service.stop()
        client.close()
    }
}

extension Configuration {
    fileprivate var webhookTargets: [String: WebhookTarget] {
        let targets = destinations.map { ($0.name, WebhookTarget($0)) }
        return Dictionary(targets, uniquingKeysWith: { first, _ in first })
    }
}

extension DeliveryDestination {
    init(_ configuration: DestinationConfiguration) {
        self.init(
            name: configuration.name,
            filter: DestinationFilter(
                endpoints: configuration.endpoints.map(Set.init),
                statuses: configuration.statuses.map { Set($0.map(\.rawValue)) },
                kinds: configuration.kinds.map(Set.init)),
            retrySeconds: configuration.retrySeconds, breakerSeconds: configuration.breakerSeconds,
            timeoutSeconds: configuration.timeoutSeconds, concurrency: configuration.concurrency,
            start: configuration.start)
    }
}

extension WebhookTarget {
    init(_ configuration: DestinationConfiguration) {
        self.init(
            url: configuration.url, signer: configuration.signer, headers: configuration.headers,
            route: configuration.route, timeoutSeconds: configuration.timeoutSeconds)
    }
}
