import Configuration
import Inquiry
import Logging
import Providers
import Synchronization
import WebClient

/// What asks providers, put together.
final class InquirySide: Sendable {
    let service: InquiryService
    private let transport = OnDemandTransport()

    init(_ configuration: Configuration, storage: any StorageSide, logger: Logger) {
        service = InquiryService(
            configuration.inquiryTargets, store: storage.store,
            transport: transport
        ) { name, report in
            let needsPerson = [.denied, .untrusted, .unreadable].contains(report.verdict)
            logger.log(
                level: needsPerson || report.conflicts > 0 ? .warning : .info,
                """
                inquiry \(name.endpoint)/\(name.reference): \(report.verdict.rawValue) \
                (\(report.reason)), \(counted(report.facts, "fact")), \(report.recorded.count) new
                """)
        }
    }

    /// The configuration was read again: other credentials, other addresses.
    func reload(_ fresh: Configuration) { service.replace(fresh.inquiryTargets) }

    /// Ends what is under way.
    func stop() { transport.close() }
}

/// A client that is made when the first question is asked: most servers never ask.
private final class OnDemandTransport: InquiryTransport {
    private let client = Mutex<WebClient?>(nil)

    func send(
        _ request: InquiryRequest, to target: InquiryTarget
    ) async throws(InquiryFailure) -> InquiryAnswer {
        let client = client.withLock { client in
            let made = client ?? WebClient()
            client = made
            return made
        }
        return try await WebInquiryTransport(client).send(request, to: target)
    }

    func close() { client.withLock { $0 }?.close() }
}

extension Configuration {
    fileprivate var inquiryTargets: [InquiryTarget] {
        endpoints.compactMap { endpoint in
            guard let inquiry = endpoint.inquiry,
                let descriptor = ProviderRegistry.all[endpoint.system]?.inquiry
            else { return nil }
            return InquiryTarget(
                endpoint: endpoint.name, provider: endpoint.system, inquirer: inquiry.inquirer,
                url: inquiry.url, way: inquiry.way, timeoutSeconds: inquiry.timeoutSeconds,
                prefersTransaction: descriptor.prefersTransaction,
                pauseSeconds: descriptor.pauseSeconds)
        }
    }
}
