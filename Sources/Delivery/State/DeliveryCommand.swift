/// A command of an operator to a destination, or to events that are not delivered to it yet.
package enum DeliveryCommand: Sendable, Equatable {
    case pause
    case resume
    /// Makes these events due now.
    case retry([UInt64])
    /// Gives up these dead events.
    case resolve([UInt64])
    /// Delivers these events again, which were delivered or given up.
    case resend([UInt64])

    /// Its name in the table.
    var word: String {
        switch self {
        case .pause: "pause"
        case .resume: "resume"
        case .retry: "retry"
        case .resolve: "resolve"
        case .resend: "resend"
        }
    }

    var sequences: [UInt64] {
        switch self {
        case .pause, .resume: []
        case .retry(let sequences), .resolve(let sequences), .resend(let sequences): sequences
        }
    }

    /// Nil for a name that a later version has written.
    init?(word: String, sequences: [UInt64]) {
        switch word {
        case "pause": self = .pause
        case "resume": self = .resume
        case "retry": self = .retry(sequences)
        case "resolve": self = .resolve(sequences)
        case "resend": self = .resend(sequences)
        default: return nil
        }
    }
}

/// A command that one instance received for the instance that serves the destination.
package struct QueuedCommand: Sendable, Equatable {
    package var id: Int64
    package var command: DeliveryCommand
}

/// A destination as the state holds it; any instance can read it.
package struct StoredDestination: Sendable, Equatable {
    package var name: String
    /// Host and process of the instance that serves it; nil while none does.
    package var servedBy: String?
    package var cursor: UInt64
    package var pause: PauseReason?
    /// Kept events, including the dead ones.
    package var waiting = 0
    package var dead = 0
    /// When the first kept event was received that is not dead, in microseconds since 1970.
    package var oldestReceived: Int64?
}

extension DeliveryPlan {
    /// Carries out a command that needs no records; returns the number of events that it changed.
    mutating func perform(_ command: DeliveryCommand, now: Int64) -> Int {
        switch command {
        case .resend: return 0
        case .pause: stop()
        case .resume: resume()
        case .retry(let sequences): return retry(sequences, now: now)
        case .resolve(let sequences): return resolve(sequences)
        }
        return 0
    }
}
