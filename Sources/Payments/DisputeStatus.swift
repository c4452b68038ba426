/// What was reported of one dispute, in rising order. Won and lost are the merchant's: lost is
/// money gone.
package enum DisputeStatus: UInt8, RisingStatus {
    case open
    case closed
    case won
    case lost

    package var name: String {
        switch self {
        case .open: "open"
        case .closed: "closed"
        case .won: "won"
        case .lost: "lost"
        }
    }
}
