import Payments

/// A provider that tells a life by its notifications, in one of the flavours that its documents
/// allow.
package protocol Teller: Sendable {
    static var abilities: Abilities { get }

    /// What it can do, too, that its words then contradict.
    static var troubles: Abilities { get }

    /// Chooses the flavour of one life.
    init(_ life: Life, using generator: inout some RandomNumberGenerator)

    /// What the provider says of one fact.
    mutating func tell(_ fact: Fact, number: Int) -> [Notification]

    /// True where the words of this flavour do not say how it was, so that a person may have to
    /// look.
    var isUnclear: Bool { get }

    /// What the provider answers at the end of a life, where its answers list all operations; empty
    /// where they do not.
    func answer(_ life: Life, _ truth: Truth) -> [Notification]
}

extension Teller {
    package func answer(_ life: Life, _ truth: Truth) -> [Notification] { [] }

    /// What the provider says of a whole life.
    package mutating func tell(_ life: Life) -> [Notification] {
        var told: [Notification] = []
        for (number, fact) in life.facts.enumerated() { told += tell(fact, number: number) }
        return told
    }
}

/// JSON text of nested pairs, in their order.
indirect enum Body {
    case text(String)
    case number(Int64)
    case null
    case object([(String, Body)])

    var bytes: [UInt8] { Array(description.utf8) }

    var description: String {
        switch self {
        case .text(let text): "\"\(text)\""
        case .number(let number): "\(number)"
        case .null: "null"
        case .object(let members):
            "{" + members.map { "\"\($0)\":\($1.description)" }.joined(separator: ",") + "}"
        }
    }
}
