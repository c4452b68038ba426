import Payments

/// Random notifications from pools so small that ids, transactions and amounts collide all the
/// time.
extension SeededGenerator {
    mutating func notifications() -> [Notification] {
        (0..<Int.random(in: 1...9, using: &self)).map { notification(number: $0) }
    }

    mutating func notification(number: Int) -> Notification {
        let transaction = pick([nil, "T1", "T2", "T3", "T1", "T2"])
        // A transaction belongs to one order, as with every provider: T3 is another order's.
        let reference = transaction == "T3" ? "R2" : "R1"
        let isUnjoined = transaction != nil && once(in: 3)
        return Notification(
            id: "E\(number)", kind: "kind", status: "status",
            reference: isUnjoined ? nil : reference, transaction: transaction, effect: effect(),
            flags: once(in: 10) ? [pick([.testMode, .unknownStatus])] : [])
    }

    private mutating func effect() -> Effect {
        switch Int.random(in: 0..<10, using: &self) {
        case 0..<5: .attempt(pick(AttemptStatus.allCases), amount())
        case 5: .capture(id: pick(["C1", "C2"]), pick(ActionStatus.allCases), amount())
        case 6, 7: .refund(id: pick(["F1", "F2", ""]), pick(ActionStatus.allCases), amount())
        case 8: .dispute(id: pick(["D1", "D2"]), pick(DisputeStatus.allCases), amount())
        default: .none
        }
    }

    private mutating func amount() -> Money? {
        if once(in: 6) { return nil }
        let minor: Int64 = once(in: 20) ? pick([-1, 0, .max]) : pick([50, 100])
        return money(minor, once(in: 12) ? "EUR" : "MYR")
    }
}
