/// What was reported of one attempt to pay, in rising order (DESIGN, "Orders").
///
/// `failed` stands above `canceled` and `expired` because it is the most definite of the three, and
/// `paid` above all: a late failure never undoes a payment.
package enum AttemptStatus: UInt8, RisingStatus {
    case pending
    case authorized
    case expired
    case canceled
    case failed
    case paid

    package var name: String {
        switch self {
        case .pending: "pending"
        case .authorized: "authorized"
        case .expired: "expired"
        case .canceled: "canceled"
        case .failed: "failed"
        case .paid: "paid"
        }
    }
}
