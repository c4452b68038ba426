import JSON
import Payments

extension OPPReading {
    /// `type` `PAYMENT`: a transaction of one of the platform's payment types.
    var payment: Notification {
        guard let id, let code, let type = payload["paymentType"]?.word else {
            return notUnderstood("payment")
        }
        let meaning = code.meaning
        guard mode == .test || !code.isTestMode else {
            // Play money at a live endpoint: kept, shown, and never counted.
            return event(
                Self.kind(of: type), "test_mode", .none, transaction: id, flags: [.testMode])
        }
        var notification: Notification =
            switch type {
            case "CB": chargeback(id, meaning, transaction: referenced ?? id)
            case "CR": chargebackReversal(id, meaning)
            case _ where meaning == .chargeback:
                chargeback(id, meaning, transaction: referenced ?? id)
            case "DB": attempt(id, meaning, taken: .paid)
            case "PA": attempt(id, meaning, taken: .authorized)
            case "CP": action("capture", meaning) { .capture(id: id, $0, $1) }
            // A reversal undoes a debit that is not settled yet, or an authorisation; which of them
            // is not said. Read as money that goes back it is right for the one, and for the other
            // it calls for a look at the order. The other way round an order would stay paid whose
            // money is gone.
            case "RF", "RV": action("refund", meaning) { .refund(id: id, $0, $1) }
            default:
                event(
                    type.lowercased(), code.text, .none, transaction: id, flags: [.unknownKind])
            }
        if code.isTestMode { notification.flags.append(.testMode) }
        return notification
    }

    private static func kind(of type: String) -> String {
        switch type {
        case "CP": "capture"
        case "RF", "RV": "refund"
        case "CB", "CR": "dispute"
        default: "payment"
        }
    }

    /// `DB` and `PA`.
    private func attempt(
        _ id: String, _ meaning: OPPResultCode.Meaning, taken: AttemptStatus
    ) -> Notification {
        switch meaning {
        case .success:
            guard let amount else { return notUnderstood("payment") }
            return event("payment", taken.name, .attempt(taken, amount), transaction: id)
        case .pending, .checkOnly:
            return event("payment", "pending", .attempt(.pending, amount), transaction: id)
        case .rejected:
            return event("payment", "failed", .attempt(.failed, amount), transaction: id)
        case .chargeback, .unknown:
            return event(
                "payment", code?.text ?? "unknown", .attempt(.pending, nil), transaction: id,
                flags: [.unknownStatus])
        }
    }

    /// `CP`, `RF`, `RV`.
    private func action(
        _ kind: String, _ meaning: OPPResultCode.Meaning, effect: (ActionStatus, Money?) -> Effect
    ) -> Notification {
        let status: ActionStatus
        switch meaning {
        case .success:
            guard amount != nil else { return notUnderstood(kind) }
            status = .succeeded
        case .pending, .checkOnly: status = .pending
        case .rejected: status = .failed
        case .chargeback, .unknown:
            return event(
                kind, code?.text ?? "unknown", effect(.pending, nil), transaction: referenced,
                flags: [.unknownStatus])
        }
        return event(kind, status.name, effect(status, amount), transaction: referenced)
    }

    /// `CB`: the money was fetched back.
    private func chargeback(
        _ id: String, _ meaning: OPPResultCode.Meaning, transaction: String
    ) -> Notification {
        let (status, flags): (DisputeStatus, [Flag]) =
            switch meaning {
            case .success, .chargeback: (.lost, [])
            case .pending, .checkOnly: (.open, [])
            case .rejected: (.closed, [])
            case .unknown: (.open, [.unknownStatus])
            }
        return event(
            "dispute", flags.isEmpty ? status.name : code?.text ?? "unknown",
            .dispute(id: id, status, amount), transaction: transaction, flags: flags)
    }

    /// `CR`: a chargeback that it references was taken back. That one stays lost, and the order
    /// says `contradicted`: how much came back, and whether for good, a person should see.
    private func chargebackReversal(
        _ id: String, _ meaning: OPPResultCode.Meaning
    ) -> Notification {
        guard meaning == .success || meaning == .chargeback else {
            return event("dispute", code?.text ?? "unknown", .none, transaction: nil)
        }
        return event(
            "dispute", "won", .dispute(id: referenced ?? id, .won, amount), transaction: nil)
    }
}
