import Configuration
import Cryptography
import Payments
import Platform
import Providers

/// The provider of one endpoint, with the keys that `ipnd init` wrote to `sandbox/`.
package struct SimulationSender: Sendable {
    package let endpoint: EndpointConfiguration
    package let descriptor: ProviderDescriptor
    package let sender: any Sender
    private let settings: EndpointSettings

    /// - Throws: `unknownEndpoint`, `noSenderKeys`.
    package init(_ configuration: Configuration, endpoint name: String) throws(SimulationError) {
        guard let endpoint = configuration.endpoint(named: name) else {
            throw .unknownEndpoint(name, known: configuration.endpoints.map(\.name))
        }
        self.endpoint = endpoint
        descriptor = endpoint.descriptor
        do throws(SettingsError) {
            settings = try SandboxKeys.senderSettings(for: endpoint, folder: configuration.folder)
            sender = try descriptor.makeSender(settings)
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

extension Provider {
    /// Why a delivery does not verify; nil if it does.
    package func refusal(of delivery: SignedRequest) -> Refusal? {
        do throws(Refusal) {
            _ = try verify(delivery)
            return nil
        } catch {
            return error
        }
    }
}
