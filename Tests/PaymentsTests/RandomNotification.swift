import Payments
import TestSupport

/// Random notifications from small pools, so that ids, references and amounts often collide.
extension SeededGenerator {
    mutating func notifications() -> [Notification] {
        (0..<Int.random(in: 1...9, using: &self)).map { notification(number: $0) }
    }

    mutating func notification(number: Int) -> Notification {
        let effect = effect()
        let isAttempt = if case .attempt = effect { true } else { false }
        // An attempt belongs to one order, as with every provider: T3 is in another order.
        let transaction =
            isAttempt
            ? pick([nil, "T1", "T2", "T3"])
            : pick([nil, "T1", "T2", "T3", "C1", "F1", "D1", "V1"])
        let reference = transaction == "T3" ? "R2" : "R1"
        let isUnjoined = transaction != nil && once(in: 3)
        return Notification(
            id: "E\(number)", kind: "kind", status: "status",
            reference: isUnjoined ? nil : reference,
            alias: isUnjoined && once(in: 2) ? pick(["A1", "A2", "R2"]) : nil,
            transaction: transaction, effect: effect,
            refundedAtLeast: once(in: 12) ? money(pick([1, 50])) : nil,
            reason: once(in: 8) ? Reason(code: pick(["X", "Y"]), message: pick(["m", "n"])) : nil,
            method: once(in: 3) ? pick(["card", "VISA"]) : nil,
            agreement: once(in: 6) ? pick(["A1", "A2"]) : nil,
            flags: once(in: 10) ? [pick([.testMode, .unknownStatus, .unsignedClaim])] : [])
    }

    private mutating func effect() -> Effect {
        switch Int.random(in: 0..<14, using: &self) {
        case 0..<5: .attempt(pick(AttemptStatus.allCases), amount())
        case 5: .capture(id: pick(["C1", "C2"]), pick(ActionStatus.allCases), amount())
        case 6, 7: .refund(id: pick(["F1", "F2"]), pick(ActionStatus.allCases), amount())
        case 8: .dispute(id: pick(["D1", "D2"]), pick(DisputeStatus.allCases), amount())
        case 9, 10:
            .reversal(
                pick(Reversal.Kind.allCases), id: pick(["V1", "V2"]),
                pick(ActionStatus.allCases), amount())
        case 11:
            .unclearRefund(
                id: pick(["T1", "U1"]), pick(ActionStatus.allCases),
                RefundClaim(amount: amount(), refunded: amount(), moment: pick([nil, "m1", "m2"])))
        case 12: .doubt
        default: .none
        }
    }

    private mutating func amount() -> Money? {
        if once(in: 6) { return nil }
        let minor: Int64 = once(in: 20) ? pick([-1, 0, .max]) : pick([50, 100])
        return money(minor, once(in: 12) ? "EUR" : "MYR")
    }
}
