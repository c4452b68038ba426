import JSON
import Payments

/// One verified item, read: `eventCode` first, then `success`.
struct AdyenInterpretation {
    let item: AdyenItem
    let isLive: Bool
    let capture: EndpointSettings.Capture
    let mode: EndpointSettings.Mode

    var notification: Notification {
        var read = understood ?? notUnderstood
        guard isTest else { return read }
        read.flags.append(.testMode)
        // Play money at a live endpoint: kept, shown, and never counted.
        if mode == .live, read.effect != .none { (read.status, read.effect) = ("test_mode", .none) }
        return read
    }

    private var understood: Notification? {
        guard let code = Self.word(item.event), let psp = Self.word(item.psp),
            let success = Self.word(item.success), ["true", "false"].contains(success),
            var read = meaning(code, success == "true", psp)
        else { return nil }
        read.id = EventIdentity.text(Self.word(item.account), psp, code, success)
        read.occurred = item.unsigned["eventDate"]?.utf8.flatMap { Timestamp(lenient: $0.span) }
        read.method = item.unsigned["paymentMethod"]?.word
        if code == "AUTHORISATION" { (read.reference, read.alias) = (reference, nil) }
        return read
    }

    // MARK: Fields

    private var original: String? { Self.word(item.original) }
    private var reference: String? { Self.word(item.reference) }

    private static func word(_ bytes: ArraySlice<UInt8>) -> String? {
        bytes.isWord ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// `live` is not signed: false makes it a test, true proves nothing. A test's `pspReference` is
    /// not in the form of genuine ones: `test_AUTHORISATION_1`.
    private var isTest: Bool {
        mode == .test || !isLive
            || (!item.event.spells("REPORT_AVAILABLE") && !Self.isReference(item.psp))
    }

    /// Whether it is 16 characters of A–Z and 0–9, as genuine references are.
    static func isReference(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.count == 16
            && bytes.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) }
    }

    /// An authentic item that cannot be acted on: the order that it names needs a person.
    private var notUnderstood: Notification {
        var read = Notification.notUnderstood(
            kind: Self.word(item.event)?.lowercased() ?? "unknown",
            reference: reference, transaction: original ?? Self.word(item.psp), effect: .doubt,
            ids: .anything, signed: item.signedText())
        if original != nil { (read.reference, read.alias) = (nil, reference) }
        return read
    }

    // MARK: The table of event codes

    /// Nil for a claim about money that lacks what it takes to act on it: a sum, the payment, or a
    /// `success` that is documented with the code.
    private func meaning(_ code: String, _ isSuccess: Bool, _ psp: String) -> Notification? {
        let done: ActionStatus = isSuccess ? .succeeded : .failed
        switch code {
        case "AUTHORISATION":
            let taken: AttemptStatus = capture == .automatic ? .paid : .authorized
            return attempt(isSuccess ? taken : .failed, psp)
        case "CAPTURE": return action("capture", done) { .capture(id: psp, $0, $1) }
        // It had succeeded before, and so had a refund that failed.
        case "CAPTURE_FAILED": return action("capture", .failed) { .capture(id: psp, $0, $1) }
        case "REFUND", "REFUND_WITH_DATA":
            return action("refund", done) { .refund(id: psp, $0, $1) }
        case "REFUND_FAILED", "VOID_PENDING_REFUND":
            return action("refund", .failed) { .refund(id: psp, $0, $1) }
        case "AUTHORISATION_ADJUSTMENT", "CANCELLATION", "TECHNICAL_CANCEL", "CANCEL_OR_REFUND":
            // A request that was refused changed nothing.
            guard isSuccess else { return ignored(code, done) }
            if code == "AUTHORISATION_ADJUSTMENT" { return attempt(.authorized, original) }
            if code != "CANCEL_OR_REFUND" {
                // What was captured stays; the order's rules release the rest.
                return action("payment", done, as: "canceled") {
                    .reversal(.authorization, id: psp, $0, $1)
                }
            }
            // Which of the two it was is not signed: the order's rules know what could be undone.
            return action("reversal", done) { .reversal(.operation, id: psp, $0, $1) }
        case "NOTIFICATION_OF_FRAUD", "MANUAL_REVIEW_ACCEPT", "MANUAL_REVIEW_REJECT":
            return ignored(code, done, flags: [.providerReview])
        default:
            guard let read = fact(code, done, psp) else { return nil }
            return isSuccess || read.effect == .none ? read : nil
        }
    }

    /// Codes that say what happened, and not how a request ended.
    private func fact(_ code: String, _ done: ActionStatus, _ psp: String) -> Notification? {
        switch code {
        // The sum that was not captured: where something was, the captures count.
        case "EXPIRE", "OFFER_CLOSED": return attempt(.expired, original ?? psp)
        case "POSTPONED_REFUND": return action("refund", .pending) { .refund(id: psp, $0, $1) }
        case "REFUNDED_REVERSED":
            // The money of this refund came back to the merchant.
            return action("reversal", .succeeded, of: psp) { .reversal(.refund, id: psp, $0, $1) }
        case "NOTIFICATION_OF_CHARGEBACK", "REQUEST_FOR_INFORMATION", "INFORMATION_SUPPLIED",
            "PREARBITRATION_OPEN", "SCHEME_ARBITRATION":
            return dispute(psp, .open)
        case "CHARGEBACK": return dispute(psp, .lost)
        // The money came back; the dispute itself may still be lost again.
        case "CHARGEBACK_REVERSED":
            return action("dispute", .succeeded, as: "won") { .reversal(.dispute, id: psp, $0, $1) }
        // All events of one dispute have one pspReference: lost, won and lost again would be one
        // contradiction.
        case "PREARBITRATION_WON", "SCHEME_ARBITRATION_WON":
            return action("dispute", .succeeded, as: "won") {
                .reversal(.dispute, id: "\(psp):2", $0, $1)
            }
        case "SECOND_CHARGEBACK", "PREARBITRATION_LOST", "SCHEME_ARBITRATION_LOST":
            return dispute("\(psp):2", .lost)
        default: return ignored(code, done)
        }
    }

    private func attempt(_ status: AttemptStatus, _ transaction: String?) -> Notification? {
        guard let transaction, item.amount != nil || status.isUnpaidEnd else { return nil }
        return event(
            "payment", status.name, .attempt(status, item.amount), transaction,
            hasReason: status == .failed)
    }

    private func action(
        _ kind: String, _ status: ActionStatus, as word: String? = nil,
        of transaction: String? = nil, effect: (ActionStatus, Money?) -> Effect
    ) -> Notification? {
        guard item.amount != nil || status != .succeeded, original ?? reference != nil else {
            return nil
        }
        return event(
            kind, word ?? status.name, effect(status, item.amount), transaction ?? original,
            hasReason: status == .failed)
    }

    private func dispute(_ id: String, _ status: DisputeStatus) -> Notification? {
        guard original ?? reference != nil else { return nil }
        return event(
            "dispute", status.name, .dispute(id: id, status, item.amount), original,
            hasReason: status == .lost)
    }

    private func ignored(
        _ code: String, _ done: ActionStatus, flags: [Flag] = []
    ) -> Notification {
        event(code.lowercased(), done.name, .none, original, flags: flags)
    }

    /// An operation names its payment by `originalReference` and carries the reference of its own
    /// request, an alias. Some disputes name none, by a setting of the webhook, and are joined by
    /// `merchantReference`.
    private func event(
        _ kind: String, _ status: String, _ effect: Effect, _ transaction: String?,
        hasReason: Bool = false, flags: [Flag] = []
    ) -> Notification {
        let reason = hasReason ? item.unsigned["reason"]?.string : nil
        return Notification(
            id: "", kind: kind, status: status, reference: original == nil ? reference : nil,
            alias: original == nil ? nil : reference, transaction: transaction, effect: effect,
            ids: .anything, reason: Reason(code: nil, message: reason), flags: flags)
    }
}
