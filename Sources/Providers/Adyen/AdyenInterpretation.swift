import JSON
import Payments

/// One verified item, read: `eventCode` first, then `success`.
///
/// An operation names its payment by `originalReference` and carries the reference of its own
/// request, if it had one: an alias. Some disputes have no `originalReference` (a setting of the
/// webhook) and are joined by `merchantReference`.
struct AdyenInterpretation {
    let item: AdyenItem
    let isLive: Bool
    let capture: EndpointSettings.Capture
    let mode: EndpointSettings.Mode

    /// What an item means: the kind and status of its event, and its effect.
    private struct Meaning {
        var kind: String
        var status: String
        var effect = Effect.none
        /// What it is about, by the provider's id.
        var transaction: String?
        var hasReason = false
        var flags: [Flag] = []
    }

    var notification: Notification {
        guard let event = word(item.event), let psp = word(item.psp),
            let isSuccess = ["false": false, "true": true][word(item.success) ?? ""],
            var meaning = meaning(event, isSuccess, psp)
        else { return notUnderstood }
        if isTest(event) {
            meaning.flags.append(.testMode)
            // Play money at a live endpoint: kept, shown, and never counted.
            if mode == .live, meaning.effect != .none {
                meaning.status = "test_mode"
                meaning.effect = .none
            }
        }
        let isOwn = original == nil || event == "AUTHORISATION"
        return Notification(
            id: EventIdentity.text(word(item.account), psp, event, isSuccess ? "true" : "false"),
            kind: meaning.kind, status: meaning.status,
            occurred: item.date.flatMap { Timestamp(lenient: $0.span) },
            reference: isOwn ? reference : nil, alias: isOwn ? nil : reference,
            transaction: meaning.transaction, effect: meaning.effect, ids: .anything,
            reason: meaning.hasReason ? Reason(code: nil, message: item.reason) : nil,
            method: item.method, flags: meaning.flags)
    }

    // MARK: Fields

    private var original: String? { word(item.original) }
    private var reference: String? { word(item.reference) }

    private func word(_ bytes: ArraySlice<UInt8>) -> String? {
        bytes.isWord ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// `live` is not signed: false makes it a test, true proves nothing. A genuine `pspReference`
    /// is 16 characters of A–Z and 0–9; that of a test is constant, as `test_AUTHORISATION_1`.
    private func isTest(_ event: String) -> Bool {
        mode == .test || !isLive
            || (event != "REPORT_AVAILABLE" && !Self.isReference(item.psp))
    }

    static func isReference(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.count == 16
            && bytes.allSatisfy {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }

    /// An authentic item that cannot be acted on: the order that it names needs a person.
    private var notUnderstood: Notification {
        var read = Notification.notUnderstood(
            kind: word(item.event)?.lowercased() ?? "unknown", reference: reference,
            transaction: original ?? word(item.psp), effect: .doubt, ids: .anything,
            signed: item.signedText)
        if original != nil {
            read.alias = read.reference
            read.reference = nil
        }
        return read
    }

    // MARK: The table of event codes

    /// Nil for a claim about money that lacks what it takes to act on it: a sum, the payment, or a
    /// `success` that the code is documented with.
    private func meaning(_ event: String, _ isSuccess: Bool, _ psp: String) -> Meaning? {
        let done: ActionStatus = isSuccess ? .succeeded : .failed
        switch event {
        case "AUTHORISATION":
            guard isSuccess else { return attempt(.failed, psp, hasReason: true) }
            return attempt(capture == .automatic ? .paid : .authorized, psp)
        case "AUTHORISATION_ADJUSTMENT" where isSuccess: return attempt(.authorized, original)
        case "CANCELLATION" where isSuccess, "TECHNICAL_CANCEL" where isSuccess:
            return attempt(.canceled, original)
        // The sum that was not captured: where something was, the captures count.
        case "EXPIRE" where isSuccess, "OFFER_CLOSED" where isSuccess:
            return attempt(.expired, original ?? psp)
        case "CAPTURE": return action("capture", done) { .capture(id: psp, $0, $1) }
        // It had succeeded before.
        case "CAPTURE_FAILED": return action("capture", .failed) { .capture(id: psp, $0, $1) }
        case "REFUND", "REFUND_WITH_DATA":
            return action("refund", done) { .refund(id: psp, $0, $1) }
        case "REFUND_FAILED", "VOID_PENDING_REFUND":
            return action("refund", .failed) { .refund(id: psp, $0, $1) }
        case "POSTPONED_REFUND" where isSuccess:
            return action("refund", .pending) { .refund(id: psp, $0, $1) }
        case "REFUNDED_REVERSED" where isSuccess:
            // The money of this refund came back to the merchant.
            return action("reversal", .succeeded, of: psp) { .reversal(.refund, id: psp, $0, $1) }
        case "CANCEL_OR_REFUND" where isSuccess:
            // Which of the two it was is not signed: the order's rules know what could be undone.
            return action("reversal", .succeeded) { .reversal(.operation, id: psp, $0, $1) }
        case "NOTIFICATION_OF_CHARGEBACK", "REQUEST_FOR_INFORMATION", "INFORMATION_SUPPLIED",
            "PREARBITRATION_OPEN", "SCHEME_ARBITRATION":
            return isSuccess ? dispute(psp, .open) : nil
        case "CHARGEBACK": return isSuccess ? dispute(psp, .lost) : nil
        case "CHARGEBACK_REVERSED", "PREARBITRATION_WON", "SCHEME_ARBITRATION_WON":
            return isSuccess ? dispute(psp, .won) : nil
        // All events of one dispute have one pspReference: lost, won and lost again would be one
        // contradiction.
        case "SECOND_CHARGEBACK", "PREARBITRATION_LOST", "SCHEME_ARBITRATION_LOST":
            return isSuccess ? dispute("\(psp):2", .lost) : nil
        case "NOTIFICATION_OF_FRAUD", "MANUAL_REVIEW_ACCEPT", "MANUAL_REVIEW_REJECT":
            return ignored(event, done, flags: [.providerReview])
        case "EXPIRE", "OFFER_CLOSED", "POSTPONED_REFUND", "REFUNDED_REVERSED": return nil
        default: return ignored(event, done)
        }
    }

    /// About no order, or a request that failed and changed nothing.
    private func ignored(_ event: String, _ done: ActionStatus, flags: [Flag] = []) -> Meaning {
        Meaning(
            kind: event.lowercased(), status: done.name, transaction: original, flags: flags)
    }

    private func attempt(
        _ status: AttemptStatus, _ transaction: String?, hasReason: Bool = false
    ) -> Meaning? {
        guard let transaction, item.amount != nil || status.isUnpaidEnd else { return nil }
        return Meaning(
            kind: "payment", status: status.name, effect: .attempt(status, item.amount),
            transaction: transaction, hasReason: hasReason)
    }

    private func action(
        _ kind: String, _ status: ActionStatus, of transaction: String? = nil,
        effect: (ActionStatus, Money?) -> Effect
    ) -> Meaning? {
        guard item.amount != nil || status != .succeeded, original ?? reference != nil else {
            return nil
        }
        return Meaning(
            kind: kind, status: status.name, effect: effect(status, item.amount),
            transaction: transaction ?? original, hasReason: status == .failed)
    }

    private func dispute(_ id: String, _ status: DisputeStatus) -> Meaning? {
        guard original ?? reference != nil else { return nil }
        return Meaning(
            kind: "dispute", status: status.name, effect: .dispute(id: id, status, item.amount),
            transaction: original, hasReason: status == .lost)
    }
}
