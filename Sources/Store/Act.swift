import Bytes
import Cryptography
import Ledger
import Payments
import Records

/// An act of a person, to be recorded before it is carried out.
package struct Act: Sendable {
    /// The endpoint's name, and the provider's behind it; empty where the act is about none.
    package var endpoint: String
    package var provider: String
    package var action: RecordedAction
    package var demand: ActionDemand

    /// - Parameter reference: The order's own; nil where the act is about no single order.
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

    /// The longest reason, in Unicode scalars.
    package static let reasonScalarsMax = 500

    /// What a correction puts in the place of the expectation.
    package var registered: RegisteredExpectation? {
        if case .correct(let registered, _) = demand { registered } else { nil }
    }

    /// What it holds in memory, in bytes, roughly.
    package var byteCount: Int { action.byteCount + (registered?.metadata.count ?? 0) }
}

/// What became of an act.
package enum ActReceipt: Sendable, Equatable {
    /// The record is durable; the act may be carried out.
    case recorded(UInt64)
    /// It must not be carried out, and was not recorded.
    case denied(ActionRefusal)
    /// It could not be stored, so it must not be carried out.
    case refused(StoreRefusal)

    package init(_ receipt: Receipt) {
        switch (receipt.denial, receipt.outcome) {
        case (let denial?, _): self = .denied(denial)
        case (_, .refused(let refusal)): self = .refused(refusal)
        case (_, let outcome): self = .recorded(outcome.sequence ?? 0)
        }
    }
}

extension RecordEncoder {
    /// Appends the record of an act, and returns where its head ends in `bytes`.
    ///
    /// - Parameter action: As it was decided.
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
