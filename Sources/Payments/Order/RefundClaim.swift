/// A refund report that can be read in several ways. A provider's documents may not say whether
/// `amount` is the refund's or the charge's, whether `amount_refunded` is this refund or the sum so
/// far, or whether the id is the refund's or the charge's.
public struct RefundClaim: Sendable, Hashable {
    /// The refund's own amount, or the charge's.
    public var amount: Money?
    /// This refund, or the sum so far.
    public var refunded: Money?
    /// When it happened, verbatim: distinguishes two equal refunds of one charge.
    public var moment: String?

    /// Creates a claim from the values of a report.
    public init(amount: Money?, refunded: Money?, moment: String?) {
        self.amount = amount
        self.refunded = refunded
        self.moment = moment
    }
}

/// A refund that was reported by a ``RefundClaim``.
public struct UnclearRefund: Sendable, Hashable {
    /// The refund's own id, or the charge's.
    public let id: String
    /// The highest reported status.
    public internal(set) var status: ActionStatus
    /// Whether it was reported as failed, in addition to `status`.
    public internal(set) var hasFailed: Bool
    /// The values of the report.
    public let claim: RefundClaim

    package init(id: String, status: ActionStatus, claim: RefundClaim) {
        self.id = id
        self.status = status
        self.claim = claim
        hasFailed = status == .failed
    }

    /// Whether it was reported both as succeeded and as failed, in any order.
    var isContradicted: Bool { hasFailed && status == .succeeded }

    /// A total order, so that the list does not depend on the order of arrival.
    fileprivate static func precedes(_ left: UnclearRefund, _ right: UnclearRefund) -> Bool {
        let ids = utf8Order(left.id, right.id)
        if ids != 0 { return ids < 0 }
        let moments = utf8Order(left.claim.moment ?? "", right.claim.moment ?? "")
        if moments != 0 { return moments < 0 }
        if left.claim.amount != right.claim.amount {
            return isLess(left.claim.amount, right.claim.amount)
        }
        return isLess(left.claim.refunded, right.claim.refunded)
    }

    private static func isLess(_ left: Money?, _ right: Money?) -> Bool {
        guard let right else { return false }
        return left.map { $0 < right } ?? true
    }
}

extension [UnclearRefund] {
    /// Adds a refund. An equal claim only raises the status.
    mutating func join(_ refund: UnclearRefund) {
        let start = insertionIndex(of: refund.id)
        let end = self[start...].firstIndex { utf8Order($0.id, refund.id) != 0 } ?? endIndex
        if let index = self[start..<end].firstIndex(where: { $0.claim == refund.claim }) {
            self[index].status = Swift.max(self[index].status, refund.status)
            self[index].hasFailed = self[index].hasFailed || refund.hasFailed
            return
        }
        let index = self[start..<end].firstIndex { UnclearRefund.precedes(refund, $0) } ?? end
        insert(refund, at: index)
    }

    /// The ids for which one claim succeeded and one failed.
    var contradictedIDs: [String] {
        var ids: [String] = []
        var start = startIndex
        while start < endIndex {
            let id = self[start].id
            let end = self[start...].firstIndex { utf8Order($0.id, id) != 0 } ?? endIndex
            let same = self[start..<end]
            if same.contains(where: \.hasFailed), same.contains(where: { $0.status == .succeeded })
            {
                ids.append(id)
            }
            start = end
        }
        return ids
    }

    /// Whether one of them has this id.
    func contains(id: String) -> Bool {
        let index = insertionIndex(of: id)
        return index < endIndex && utf8Order(self[index].id, id) == 0
    }

    /// The first index whose id is not less than `id`.
    private func insertionIndex(of id: String) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if utf8Order(self[middle].id, id) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether the refunds are in the order that `join` produces.
    var isInOrder: Bool {
        indices.dropFirst().allSatisfy { UnclearRefund.precedes(self[$0 - 1], self[$0]) }
    }
}
