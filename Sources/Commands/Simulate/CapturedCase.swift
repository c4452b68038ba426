import Configuration
import Payments
import Platform
import Providers
import Receiver
import Simulator

/// A captured request beside the configuration that it may have been meant for: what `ipnd explain`
/// and the page of rejections begin with.
struct CapturedCase {
    let configuration: Configuration
    let request: CapturedRequest
    /// The entry of the rejection log that it stands in.
    let entry: RejectionEntry?
    /// When it came; now, where nobody wrote it down.
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

    /// Where a request that no endpoint takes was probably meant to go, as the server sees it.
    var misdirection: Misdirection? {
        guard !arrives else { return nil }
        return EndpointTable(configuration, metrics: Metrics()).misdirection(
            of: Delivery(
                method: request.method, path: request.path, query: request.query,
                headers: request.headers, body: request.body,
                received: received))
    }

    /// The name of the endpoint that it came to, or was probably meant for; nil where nothing says.
    func endpointName(_ misdirection: Misdirection?) -> String? {
        entry?.namedEndpoint ?? misdirection?.nearest.name ?? entry?.nearest
    }

    /// Everything that may help to find out why it does not verify at `chosen`.
    func suspect(
        at chosen: EndpointConfiguration, _ system: ProviderDescriptor,
        _ misdirection: Misdirection?, candidates: [Suspect.Candidate] = [],
        paths: [String] = []
    ) -> Suspect {
        Suspect(
            request: request, system: system, settings: chosen.settings,
            publicPath: chosen.publicPath,
            unknownPath: unknownPath(nearest: misdirection?.nearest.name ?? chosen.name),
            received: received,
            others: configuration.endpoints.filter { $0.name != chosen.name },
            candidates: candidates
                + Suspect.Candidate.beside(folder: configuration.folder, for: system),
            givenPaths: paths)
    }

    private func unknownPath(nearest: String) -> UnknownPath? {
        guard !arrives, let endpoint = configuration.endpoint(named: nearest) else { return nil }
        return UnknownPath(
            path: String(decoding: request.path, as: UTF8.self), nearest: nearest,
            nearestPath: endpoint.path)
    }

    /// Whether an endpoint has the request's path. A capture that is not the server's own may have
    /// been made in front of the proxy, where the path is the public one.
    private var arrives: Bool {
        let path = String(decoding: request.path, as: UTF8.self)
        return configuration.endpoints.contains {
            $0.path == path || (entry == nil && $0.publicPath == path)
        }
    }
}

extension RejectionEntry {
    /// The endpoint that it came to; nil where the path led to none.
    fileprivate var namedEndpoint: String? { endpoint.isEmpty ? nil : endpoint }
}
