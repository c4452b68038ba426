import Configuration
import Payments
import Platform
import Providers

/// A request that did not verify, with everything that may help to find out why.
package struct Suspect: Sendable {
    /// A key or secret that lies around, and where.
    package struct Candidate: Sendable, Equatable {
        /// What people call it, such as `keys/antom.pem`; never the secret itself.
        package let name: String
        /// A public key as text, or a secret.
        package let bytes: [UInt8]
        /// It was made for trying out, not handed out by a provider.
        package let isSandbox: Bool

        package init(name: String, bytes: [UInt8], isSandbox: Bool = false) {
            self.name = name
            self.bytes = bytes
            self.isSandbox = isSandbox
        }
    }

    package let request: CapturedRequest
    package let system: ProviderDescriptor
    package let settings: EndpointSettings
    /// As the provider calls the endpoint.
    package let publicPath: String
    /// Set where no endpoint has the request's path.
    package let unknownPath: UnknownPath?
    /// When the server received it. A signed time is judged by it.
    package let received: Timestamp
    /// The other endpoints of the configuration.
    package let others: [EndpointConfiguration]
    package let candidates: [Candidate]

    /// - Parameter received: Nil where nobody wrote it down: now.
    package init(
        request: CapturedRequest, system: ProviderDescriptor, settings: EndpointSettings,
        publicPath: String, unknownPath: UnknownPath? = nil, received: Timestamp? = nil,
        others: [EndpointConfiguration] = [], candidates: [Candidate] = []
    ) {
        self.request = request
        self.system = system
        self.settings = settings
        self.publicPath = publicPath
        self.unknownPath = unknownPath
        self.received = received ?? Timestamp(microseconds: WallClock.microseconds())
        self.others = others
        self.candidates = candidates
    }

    /// What the endpoint's provider was given to verify.
    package var delivery: Delivery {
        Delivery(
            method: request.method, path: Array(publicPath.utf8)[...], query: request.query,
            headers: request.headers,
            body: request.body, received: received)
    }

    /// The text of the header `lowercasedName`.
    func header(_ lowercasedName: String) -> String? {
        delivery.headers.first { $0.isNamed(lowercasedName) }
            .map { String(decoding: $0.value, as: UTF8.self) }
    }
}
