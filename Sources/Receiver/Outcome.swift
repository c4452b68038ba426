import Store

/// What became of a request at an endpoint, as log lines and metrics name it.
package enum Outcome: String, Sendable, CaseIterable {
    case recorded, duplicate, conflict, ignored
    /// Not proven genuine, or malformed.
    case refused
    /// Genuine, but could not be stored.
    case unavailable

    init(_ receipt: Receipt) {
        self =
            switch receipt.outcome {
            case .recorded: .recorded
            case .duplicate: .duplicate
            case .conflict: .conflict
            case .ignored: .ignored
            case .refused: .unavailable
            }
    }
}
