import Synchronization

/// The endpoints' names and their providers', as the configuration has them now.
package final class EndpointCatalog: Sendable {
    private let providers: Mutex<[String: String]>

    package init(_ providers: [String: String]) {
        self.providers = Mutex(providers)
    }

    /// The configuration was read again.
    package func replace(_ providers: [String: String]) {
        self.providers.withLock { $0 = providers }
    }

    func provider(of endpoint: String) -> String? {
        providers.withLock { $0[endpoint] }
    }
}
