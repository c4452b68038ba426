import Payments

/// A provider that reports a life by its notifications, in one of the flavours that its documents
/// allow.
package protocol Teller: Sendable {
    static var abilities: Abilities { get }

    /// Further events that it supports, which its notifications then contradict.
    static var troubles: Abilities { get }

    /// Chooses the flavour of one life.
    init(_ life: Life, using generator: inout some RandomNumberGenerator)

    /// The notifications about one fact.
    mutating func tell(_ fact: Fact, number: Int) -> [Notification]

    /// Whether the notifications of this flavour are ambiguous, so that a person may have to
    /// decide.
    var isUnclear: Bool { get }

    /// The provider's answer at the end of a life, if its answers list all operations; empty
    /// otherwise.
    func answer(_ life: Life, _ truth: Truth) -> [Notification]
}

extension Teller {
    package func answer(_ life: Life, _ truth: Truth) -> [Notification] { [] }

    /// The notifications about a whole life.
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
    /// A number with these digits, such as `10.50`.
    case digits(String)
    case bool(Bool)
    case null
    case object([(String, Body)])
    case list([Body])

    var bytes: [UInt8] { Array(description.utf8) }

    var description: String {
        switch self {
        case .text(let text): "\"\(text)\""
        case .number(let number): "\(number)"
        case .digits(let digits): digits
        case .bool(let isTrue): "\(isTrue)"
        case .null: "null"
        case .list(let elements):
            "[" + elements.map(\.description).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\"\($0)\":\($1.description)" }.joined(separator: ",") + "}"
        }
    }
}
