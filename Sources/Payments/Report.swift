/// That one status was reported, with which amounts and for which reason.
package struct Report<Status: RisingStatus>: Sendable, Hashable {
    package let status: Status
    /// Nil when no report of this status has named an amount.
    package internal(set) var amounts: AmountClaims?
    /// Why, where a report of this status said so.
    package internal(set) var reason: Reason?

    init(status: Status, amounts: AmountClaims?, reason: Reason? = nil) {
        self.status = status
        self.amounts = amounts
        self.reason = reason
    }
}
