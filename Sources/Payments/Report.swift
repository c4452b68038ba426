/// That one status was reported, and with which amounts.
package struct Report<Status: RisingStatus>: Sendable, Hashable {
    package let status: Status
    /// Nil when no report of this status has named an amount.
    package internal(set) var amounts: AmountRange?

    init(status: Status, amounts: AmountRange?) {
        self.status = status
        self.amounts = amounts
    }
}
