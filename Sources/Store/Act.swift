import Bytes
import Cryptography
import Ledger
import Payments
import Records

/// A person's act, which is recorded before it is carried out.
package struct Act: Sendable {
    /// The endpoint's name, and its provider's; empty if the act concerns none.
    package var endpoint: String
    package var provider: String
    package var action: RecordedAction
    package var demand: ActionDemand

    /// - Parameter reference: The order's own; nil if the act does not concern a single order.
    package init(
        _ kind: RecordedAction.Kind, by name: String, remote: String, reason: String = "",
        parameters: [RecordedAction.Parameter] = [], endpoint: String = "", provider: String = "",
        reference: String? = nil, demand: ActionDemand = .note, received: Timestamp
    ) {
        self.endpoint = endpoint
        self.provider = provider
        self.demand = demand
        action = RecordedAction(
            id: "action:\(Hex.encode(secureRandomBytes(16)))", kind: kind, reference: reference,
            by: name, remote: remote, reason: reason, parameters: parameters, received: received)
    }

    /// Maximum length of a reason, in Unicode scalars.
    package static let reasonScalarsMax = 500

    /// The expectation that a correction sets.
    package var registered: RegisteredExpectation? {
        if case .correct(let registered, _) = demand { registered } else { nil }
    }

    /// Approximate memory in bytes.
    package var byteCount: Int { action.byteCount + (registered?.metadata.count ?? 0) }
}

/// The result of an act.
package enum ActReceipt: Sendable, Equatable {
    /// The record is durable; the act may be carried out.
    case recorded(UInt64)
    /// The act must not be carried out, and was not recorded.
    case denied(ActionRefusal)
    /// The act could not be stored, so it must not be carried out.
    case refused(StoreRefusal)

    package init(_ receipt: Receipt) {
        switch receipt.outcome {
        case .denied(let denial): self = .denied(denial)
        case .refused(let refusal): self = .refused(refusal)
        case .recorded(let sequence), .duplicate(let sequence), .conflict(let sequence),
            .ignored(let sequence):
            self = .recorded(sequence)
        }
    }
}

extension RecordEncoder {
    /// Appends the record of an act, and returns where its head ends in `bytes`.
    ///
    /// - Parameter action: The action as decided.
    @discardableResult
    package static func append(
        _ content: RecordContent, of act: Act, decided action: RecordedAction,
        to bytes: inout [UInt8]
    ) -> Int {
        append(
            content, of: action, registering: act.registered,
            from: RecordOrigin(
                received: action.received, endpoint: act.endpoint, provider: act.provider,
                key: nil), to: &bytes)
    }
}
