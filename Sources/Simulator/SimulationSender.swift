import Cryptography
import Payments
import Platform
import Providers
import ServerConfiguration

/// Marks every event as a test.
private struct TestMarkingSender: Sender {
    private let sender: any Sender

    init(_ sender: any Sender) { self.sender = sender }

    func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundRequest {
        var event = event
        event.isTest = true
        return try sender.sign(event, path: path)
    }

    var marksTests: Bool { true }
    func absence(of type: EventType) -> String? { sender.absence(of: type) }
    func judge(status: Int, contentType: String?, body: [UInt8]) -> AnswerVerdict {
        sender.judge(status: status, contentType: contentType, body: body)
    }
    var publishedRetrySchedule: [Duration] { sender.publishedRetrySchedule }
}

/// The provider of one endpoint, with the keys that `ipnd init` wrote to `sandbox/`.
package struct SimulationSender: Sendable {
    package let endpoint: EndpointConfiguration
    package let descriptor: ProviderDescriptor
    package let sender: any Sender
    /// Why the configuration takes real notifications; nil in a sandbox. Then all events are marked
    /// as tests, if the provider has a mark for them.
    package let liveReason: String?
    private let settings: EndpointSettings

    /// Whether its events are marked as tests.
    package var isTest: Bool { liveReason != nil && sender.marksTests }

    /// - Throws: `unknownEndpoint`, `noSenderKeys`.
    package init(_ configuration: Configuration, endpoint name: String) throws(SimulationError) {
        guard let endpoint = configuration.endpoint(named: name) else {
            throw .unknownEndpoint(name, known: configuration.endpoints.map(\.name))
        }
        self.endpoint = endpoint
        descriptor = endpoint.descriptor
        do throws(SettingsError) {
            settings = try SandboxKeys.senderSettings(for: endpoint, folder: configuration.folder)
            let sender = try descriptor.makeSender(settings)
            liveReason = configuration.liveReason
            self.sender =
                liveReason != nil && sender.marksTests ? TestMarkingSender(sender) : sender
        } catch {
            throw .noSenderKeys(endpoint: name, message: error.message)
        }
    }

    /// The provider with new keys, unknown to every receiver.
    func impostor() throws(SimulationError) -> any Sender {
        do throws(SettingsError) {
            return try descriptor.makeSender(descriptor.withFreshKeys(settings))
        } catch {
            throw .noSenderKeys(endpoint: endpoint.name, message: error.message)
        }
    }

    /// Why the configured endpoint refuses a delivery at this time; nil if it accepts it.
    package func refusal(of delivery: OutboundRequest, at time: Timestamp) -> Refusal? {
        var received = delivery.delivery(received: time)
        received.path = Array(endpoint.publicPath.utf8)[...]
        return endpoint.provider.refusal(of: received)
    }
}
