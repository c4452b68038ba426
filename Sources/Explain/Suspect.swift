import Providers

/// A request that did not verify, with the context for finding out why.
package struct Suspect: Sendable {
    /// A key or secret to try, and its place.
    package struct Candidate: Sendable, Equatable {
        /// Its name, such as `keys/shop.pem`; never the secret itself.
        package let name: String
        /// A public key as text, or a secret.
        package let bytes: [UInt8]
        /// Whether it was generated for the sandbox, not issued by a provider.
        package let isSandbox: Bool

        package init(name: String, bytes: [UInt8], isSandbox: Bool = false) {
            self.name = name
            self.bytes = bytes
            self.isSandbox = isSandbox
        }
    }

    /// Another endpoint that the request may have been meant for.
    package struct Endpoint: Sendable {
        package let name: String
        package let system: ProviderDescriptor
        package let settings: EndpointSettings
        package let publicPath: String

        package init(
            name: String, system: ProviderDescriptor, settings: EndpointSettings,
            publicPath: String
        ) {
            self.name = name
            self.system = system
            self.settings = settings
            self.publicPath = publicPath
        }
    }

    /// The request as it arrived, with the time of receipt.
    package let request: SignedRequest
    package let system: ProviderDescriptor
    package let settings: EndpointSettings
    /// The path that the provider uses.
    package let publicPath: String
    /// Set if no endpoint has the request's path.
    package let unknownPath: UnknownPath?
    /// The other endpoints of the configuration.
    package let others: [Endpoint]
    package let candidates: [Candidate]
    /// Paths under which the provider may know the endpoint.
    package let givenPaths: [String]
    /// Whether something was removed from the request before it was stored.
    package var isRedacted = false

    package init(
        request: SignedRequest, system: ProviderDescriptor, settings: EndpointSettings,
        publicPath: String, unknownPath: UnknownPath? = nil, others: [Endpoint] = [],
        candidates: [Candidate] = [], givenPaths: [String] = []
    ) {
        self.request = request
        self.system = system
        self.settings = settings
        self.publicPath = publicPath
        self.unknownPath = unknownPath
        self.others = others
        self.candidates = candidates
        self.givenPaths = givenPaths
    }

    /// The request as the endpoint's provider verifies it.
    package var delivery: SignedRequest {
        var delivery = request
        delivery.path = Array(publicPath.utf8)[...]
        return delivery
    }

    /// The value of the header `lowercasedName`.
    func header(_ lowercasedName: String) -> String? {
        delivery.headers.first { $0.isNamed(lowercasedName) }
            .map { String(decoding: $0.value, as: UTF8.self) }
    }
}
