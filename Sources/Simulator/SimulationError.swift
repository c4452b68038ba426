import Providers
import ServerConfiguration

/// Why nothing could be sent.
package enum SimulationError: Error, Sendable, Equatable {
    /// The configuration has no endpoint of this name.
    case unknownEndpoint(String, known: [String])
    /// The endpoint's provider has no such notification; `because` has details, if any.
    case unsupported(EventType, system: String, because: String?)
    /// The provider cannot express this amount, such as a negative one.
    case unrepresentableAmount
    /// The provider's keys are missing or unusable.
    case noSenderKeys(endpoint: String, message: String)
    /// The cryptographic library refused to sign.
    case signingFailed
    /// The amount is too small to be refunded in parts.
    case amountTooSmall
    /// No listener of the configuration can be reached without --url.
    case noDestination(String)

    package var reason: String {
        switch self {
        case .unknownEndpoint: "unknown_endpoint"
        case .unsupported: "unsupported_event"
        case .unrepresentableAmount: "unrepresentable_amount"
        case .noSenderKeys: "no_sender_keys"
        case .signingFailed: "signing_failed"
        case .amountTooSmall: "amount_too_small"
        case .noDestination: "no_destination"
        }
    }

    /// Whether the cause is the configuration (status 78), not the command line (64).
    package var isConfiguration: Bool {
        switch self {
        case .noSenderKeys, .noDestination: true
        default: false
        }
    }
}

extension SimulationError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownEndpoint(let name, let known):
            "the configuration has no endpoint \(name); it has \(known.joined(separator: ", "))"
        case .unsupported(let type, let system, let reason):
            reason ?? "\(system) sends no notification for \(type.rawValue)"
        case .unrepresentableAmount: "this provider cannot express such an amount"
        case .noSenderKeys(let endpoint, let message):
            """
            cannot sign for the endpoint \(endpoint): \(message)
            A notification can only be signed with the provider's own key. Where the endpoint has \
            live keys, only the provider has it: make a sandbox with `ipnd init DIR` and try there.
            """
        case .signingFailed: "the cryptographic library refused to sign"
        case .amountTooSmall: "the amount is too small to refund it in parts"
        case .noDestination(let message): message
        }
    }

    /// The error of a sender, for a trial of `system`.
    init(_ error: SenderError, system: String) {
        switch error {
        case .unsupported(let type): self = .unsupported(type, system: system, because: nil)
        case .unrepresentableAmount: self = .unrepresentableAmount
        case .signingFailed: self = .signingFailed
        }
    }
}
