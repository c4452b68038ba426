import JSON
import Payments

extension OPPInterpretation {
    /// Reads `type` `PAYMENT`: a transaction of one of the platform's payment types.
    var payment: Notification {
        guard let id, let code, let type = payload["paymentType"]?.word else {
            return notUnderstood("payment")
        }
        let isUncertain = isAnswer && code.text.hasPrefix("900.")
        let meaning = isUncertain ? OPPResultCode.Meaning.pending : code.meaning
        guard mode == .test || !code.isTestMode else {
            // Test money at a live endpoint: stored, shown, and never counted.
            return event(
                Self.kind(of: type), "test_mode", .none, transaction: id, flags: [.testMode])
        }
        var notification: Notification =
            switch type {
            case "CB": chargeback(id, meaning)
            case "CR": chargebackReversal(id, meaning)
            case _ where meaning == .chargeback: chargeback(id, meaning)
            case "DB": attempt(id, meaning, taken: .paid)
            case "PA": attempt(id, meaning, taken: .authorized)
            case "CP": action("capture", meaning) { .capture(id: id, $0, $1) }
            case "RF": action("refund", meaning) { .refund(id: id, $0, $1) }
            // Undoes the operation with the referenced id, which the order rules find. Without one
            // it may undo a payment, whose money was returned, or a refund, whose money came back.
            case "RV" where meaning == .success && referenced == nil: notUnderstood("reversal")
            case "RV": action("reversal", meaning) { .reversal(.operation, id: id, $0, $1) }
            default:
                event(
                    type.lowercased(), code.text, .none, transaction: id, flags: [.unknownKind])
            }
        if code.isTestMode { notification.flags.append(.testMode) }
        if meaning == .success, code.asksForReview, notification.effect != .none {
            notification.flags.append(.providerReview)
        }
        return notification
    }

    private static func kind(of type: String) -> String {
        switch type {
        case "CP": "capture"
        case "RF": "refund"
        case "CB": "dispute"
        case "RV", "CR": "reversal"
        default: "payment"
        }
    }

    /// Reads `DB` and `PA`.
    private func attempt(
        _ id: String, _ meaning: OPPResultCode.Meaning, taken: AttemptStatus
    ) -> Notification {
        switch meaning {
        case .success:
            guard let amount else { return notUnderstood("payment") }
            return event("payment", taken.name, .attempt(taken, amount), transaction: id)
        case .pending, .checkOnly:
            return event("payment", "pending", .attempt(.pending, amount), transaction: id)
        case .rejected, .canceled, .expired:
            let end: AttemptStatus =
                meaning == .canceled ? .canceled : meaning == .expired ? .expired : .failed
            return event("payment", end.name, .attempt(end, amount), transaction: id)
        case .chargeback, .unknown:
            return event(
                "payment", code?.text ?? "unknown", .attempt(.pending, nil), transaction: id,
                flags: [.unknownStatus])
        }
    }

    /// Reads `CP`, `RF` and `RV`: operations on another transaction.
    private func action(
        _ kind: String, _ meaning: OPPResultCode.Meaning, effect: (ActionStatus, Money?) -> Effect
    ) -> Notification {
        let status: ActionStatus
        switch meaning {
        case .success:
            guard amount != nil else { return notUnderstood(kind) }
            status = .succeeded
        case .pending, .checkOnly: status = .pending
        case .rejected, .canceled, .expired: status = .failed
        case .chargeback, .unknown:
            return operation(
                kind, code?.text ?? "unknown", effect(.pending, nil), flags: [.unknownStatus])
        }
        return operation(kind, status.name, effect(status, amount))
    }

    /// Reads `CB`: the money was taken back.
    private func chargeback(_ id: String, _ meaning: OPPResultCode.Meaning) -> Notification {
        let (status, flags): (DisputeStatus, [Flag]) =
            switch meaning {
            case .success, .chargeback: (.lost, [])
            case .pending, .checkOnly: (.open, [])
            case .rejected, .canceled, .expired: (.closed, [])
            case .unknown: (.open, [.unknownStatus])
            }
        return operation(
            "dispute", flags.isEmpty ? status.name : code?.text ?? "unknown",
            .dispute(id: id, status, amount), flags: flags)
    }

    /// Reads `CR`: a chargeback was withdrawn. It is the referenced one, or the only one of the
    /// referenced payment.
    private func chargebackReversal(
        _ id: String, _ meaning: OPPResultCode.Meaning
    ) -> Notification {
        let (status, flags): (ActionStatus, [Flag]) =
            switch meaning {
            case .success, .chargeback: (.succeeded, [])
            case .pending, .checkOnly: (.pending, [])
            case .rejected, .canceled, .expired: (.failed, [])
            case .unknown: (.pending, [.unknownStatus])
            }
        return operation(
            "reversal", flags.isEmpty ? status.name : code?.text ?? "unknown",
            .reversal(.dispute, id: id, status, amount), flags: flags)
    }
}
