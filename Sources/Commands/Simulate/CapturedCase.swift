import Explain
import Payments
import Platform
import Providers
import Receiver
import ServerConfiguration
import Simulator

/// A captured request and the configuration that it may have been meant for: the input of
/// `ipnd explain` and of the page of rejections.
struct CapturedCase {
    let configuration: Configuration
    let request: CapturedRequest
    /// Its entry in the rejection log.
    let entry: RejectionEntry?
    /// Time of receipt; now, if it was not recorded.
    private let received: Timestamp

    init(
        configuration: Configuration, request: CapturedRequest, entry: RejectionEntry?,
        clock: any Clock
    ) {
        self.configuration = configuration
        self.request = request
        self.entry = entry
        received = entry?.receivedTime ?? Timestamp(microseconds: clock.wallMicroseconds)
    }

    /// The probable endpoint of a request to an unknown path, by the server's rules.
    var misdirection: Misdirection? {
        guard !arrives else { return nil }
        return EndpointTable(configuration, metrics: Metrics()).misdirection(
            of: SignedRequest(
                method: request.method, path: request.path, query: request.query,
                headers: request.headers, body: request.body,
                received: received))
    }

    /// The endpoint that received it, or its probable endpoint; nil if unknown.
    func endpointName(_ misdirection: Misdirection?) -> String? {
        entry?.namedEndpoint ?? misdirection?.nearest.name ?? entry?.nearest
    }

    /// The input of the explainer for the endpoint `chosen`.
    func suspect(
        at chosen: EndpointConfiguration, _ system: ProviderDescriptor,
        _ misdirection: Misdirection?, candidates: [Suspect.Candidate] = [],
        paths: [String] = []
    ) -> Suspect {
        var suspect = Suspect(
            request: request, system: system, settings: chosen.settings,
            publicPath: chosen.publicPath,
            unknownPath: unknownPath(nearest: misdirection?.nearest.name ?? chosen.name),
            received: received,
            others: configuration.endpoints.filter { $0.name != chosen.name },
            candidates: candidates
                + Suspect.Candidate.beside(folder: configuration.folder, for: system),
            givenPaths: paths)
        suspect.isRedacted = request.redaction != nil
        return suspect
    }

    private func unknownPath(nearest: String) -> UnknownPath? {
        guard !arrives, let endpoint = configuration.endpoint(named: nearest) else { return nil }
        return UnknownPath(
            path: String(decoding: request.path, as: UTF8.self), nearest: nearest,
            nearestPath: endpoint.path)
    }

    /// Whether an endpoint has the request's path. A capture from elsewhere may have been made in
    /// front of the proxy, where the path is the public one.
    private var arrives: Bool {
        let path = String(decoding: request.path, as: UTF8.self)
        return configuration.endpoints.contains {
            $0.path == path || (entry == nil && $0.publicPath == path)
        }
    }
}

extension RejectionEntry {
    /// The endpoint that received it; nil for an unknown path.
    fileprivate var namedEndpoint: String? { endpoint.isEmpty ? nil : endpoint }
}
