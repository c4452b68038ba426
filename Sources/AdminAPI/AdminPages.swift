import HTTP
import Synchronization

/// The answers about the server itself: readiness and metrics.
package struct AdminPages: Sendable {
    /// Why notifications are not accepted; nil when they are.
    let hindrance: @Sendable () -> String?
    /// The page in the Prometheus text format.
    let metrics: @Sendable () async -> [UInt8]

    package init(
        hindrance: @escaping @Sendable () -> String?,
        metrics: @escaping @Sendable () async -> [UInt8]
    ) {
        self.hindrance = hindrance
        self.metrics = metrics
    }

    func readiness() -> Response {
        if let reason = hindrance() { return .plain(503, "not ready: \(reason)\n") }
        return .plain(200, "ready\n")
    }

    func metricsResponse() async -> Response {
        Response(
            status: 200, fields: [("Content-Type", "text/plain; version=0.0.4")],
            body: await metrics())
    }
}

/// The configured endpoints and their providers.
package final class EndpointCatalog: Sendable {
    private let catalog: Mutex<(providers: [String: String], apart: Set<String>)>

    /// - Parameters:
    ///   - providers: By the endpoint's name.
    ///   - apart: The endpoints whose provider's ids are unique within one reference only.
    package init(_ providers: [String: String], apart: Set<String> = []) {
        catalog = Mutex((providers, apart))
    }

    /// Takes over a reloaded configuration.
    package func replace(_ providers: [String: String], apart: Set<String>) {
        catalog.withLock { $0 = (providers, apart) }
    }

    /// Sorted.
    var names: [String] { catalog.withLock { $0.providers.keys.sorted() } }

    func provider(of endpoint: String) -> String? {
        catalog.withLock { $0.providers[endpoint] }
    }

    /// Whether payments of several references can't be tries of one order.
    func keepsTriesApart(_ endpoint: String) -> Bool {
        catalog.withLock { $0.apart.contains(endpoint) }
    }
}
