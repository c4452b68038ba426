/// What was reported of one capture or refund, in rising order.
package enum ActionStatus: UInt8, RisingStatus {
    case pending
    case failed
    case succeeded

    package var name: String {
        switch self {
        case .pending: "pending"
        case .failed: "failed"
        case .succeeded: "succeeded"
        }
    }
}
