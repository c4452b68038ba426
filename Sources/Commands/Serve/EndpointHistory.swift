import Logging
import Platform
import Records
import ServerConfiguration
import Store

/// Warns about endpoints whose orders came from another provider.
///
/// References, ids and events are distinguished by the endpoint's name. If a name passes to another
/// provider, two payments can join into one order, and an event can count as a duplicate of another
/// provider's. A new provider needs a new name.
struct EndpointHistory: Sendable {
    private let lists: any OrderLists
    private let records: any RecordSource
    private let clock: any Clock

    /// Pause and number of attempts while the lists are not open.
    private static let pauseSeconds = 5
    private static let triesMax = 60

    init(_ storage: any StorageModule, clock: any Clock) {
        lists = storage.lists
        records = storage.records
        self.clock = clock
    }

    /// Checks the endpoints when the lists can be read, and logs warnings, in the background.
    func look(at configuration: Configuration, _ logger: Logger) -> Task<Void, Never> {
        Task.detached(executorPreference: WorkerPool.shared) {
            for _ in 0..<Self.triesMax {
                do {
                    var warnings: [String] = []
                    for endpoint in configuration.endpoints {
                        guard let former = try await former(of: endpoint) else { continue }
                        warnings.append(Self.warning(endpoint, former))
                    }
                    for warning in warnings { logger.warning("\(warning)") }
                    return
                } catch {
                    guard (try? await clock.sleep(seconds: Self.pauseSeconds)) != nil else {
                        return
                    }
                }
            }
        }
    }

    private static func warning(_ endpoint: EndpointConfiguration, _ former: String) -> String {
        "endpoint_provider_changed: orders of the endpoint \(endpoint.name) came from \(former), "
            + "and it now serves \(endpoint.system), whose payments can join these orders. "
            + "Give the new provider a new endpoint name"
    }

    /// The provider of the endpoint's newest order, if it is not the configured one.
    private func former(of endpoint: EndpointConfiguration) async throws -> String? {
        var query = OrderQuery()
        query.endpoint = endpoint.name
        guard let order = try await lists.page(query, limit: 1).orders.first else { return nil }
        let page = try await records.page(
            after: order.first - 1, through: order.first, limit: 1, bytesMax: RecordPage.bytesMax)
        // Retention may have deleted it.
        guard let record = page.records.first, record.sequence == order.first else { return nil }
        let event = try RecordDecoder.event(record.bytes)
        return event.provider == endpoint.system ? nil : event.provider
    }
}
