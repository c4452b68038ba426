/// What a person does with a destination, or with events that were not delivered to it.
package enum DeliveryAct: Sendable, Equatable {
    case pause
    case resume
    /// Tries these events again now.
    case retry([UInt64])
    /// Gives these dead events up.
    case resolve([UInt64])

    /// As a table keeps it.
    var word: String {
        switch self {
        case .pause: "pause"
        case .resume: "resume"
        case .retry: "retry"
        case .resolve: "resolve"
        }
    }

    var sequences: [UInt64] {
        switch self {
        case .pause, .resume: []
        case .retry(let sequences), .resolve(let sequences): sequences
        }
    }

    /// Nil of a word that a later version has written.
    init?(word: String, sequences: [UInt64]) {
        switch word {
        case "pause": self = .pause
        case "resume": self = .resume
        case "retry": self = .retry(sequences)
        case "resolve": self = .resolve(sequences)
        default: return nil
        }
    }
}

/// An act that was asked of one instance, for the one that serves the destination.
package struct DeliveryCommand: Sendable, Equatable {
    package var id: Int64
    package var act: DeliveryAct

    package init(id: Int64, act: DeliveryAct) {
        self.id = id
        self.act = act
    }
}

/// The state of a destination, as any instance can read it.
package struct DestinationStanding: Sendable, Equatable {
    package var name: String
    /// Host and process of the instance that serves it; nil while none does.
    package var servedBy: String?
    package var cursor: UInt64
    package var pause: PauseReason?
    /// Events that are kept, the dead ones included.
    package var waiting: Int
    package var dead: Int
    /// When the first event was received that is kept and not dead, in microseconds since 1970.
    package var oldestReceived: Int64?

    package init(
        name: String, servedBy: String? = nil, cursor: UInt64, pause: PauseReason? = nil,
        waiting: Int = 0, dead: Int = 0, oldestReceived: Int64? = nil
    ) {
        self.name = name
        self.servedBy = servedBy
        self.cursor = cursor
        self.pause = pause
        self.waiting = waiting
        self.dead = dead
        self.oldestReceived = oldestReceived
    }
}
