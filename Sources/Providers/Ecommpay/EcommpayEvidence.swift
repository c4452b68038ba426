import JSON
import Payments

/// The content of an ecommpay callback.
public struct EcommpayEvidence: Sendable, Equatable {
    enum Content: Sendable, Equatable {
        /// A signed callback.
        case signed(EcommpayLeaves)
        /// An unsigned chargeback callback from a network that the endpoint names.
        case unsigned(EcommpayChargeback)
    }

    let content: Content

    static func signed(_ leaves: EcommpayLeaves) -> EcommpayEvidence {
        EcommpayEvidence(content: .signed(leaves))
    }

    static func unsigned(_ chargeback: EcommpayChargeback) -> EcommpayEvidence {
        EcommpayEvidence(content: .unsigned(chargeback))
    }
}

/// A chargeback callback. "Data is sent without any form of digital signature", once, and without
/// retries (ecommpay, "Working with chargeback callbacks"). So it proves nothing: it only names the
/// payment that a person should examine.
package struct EcommpayChargeback: Sendable, Equatable {
    /// The payment that it names; nil if it names none or several, as in a summary or a list.
    let reference: String?
    let body: [UInt8]

    /// Maximum number of values that are searched for the payment's id.
    private static let valuesMax = 10_000

    init(root: JSONValue, body: [UInt8]) {
        var found: [String] = []
        var left = Self.valuesMax
        Self.collect(from: root, under: "", into: &found, &left)
        reference = found.count == 1 ? found[0] : nil
        self.body = body
    }

    /// Collects the distinct ids at `payment_id`, and at `id` below `payment`.
    private static func collect(
        from value: JSONValue, under name: String, into found: inout [String], _ left: inout Int
    ) {
        guard left > 0, found.count < 2 else { return }
        left -= 1
        for (key, member) in value.members {
            if key == "payment_id" || (name == "payment" && key == "id"),
                let id = member.wordOrNumber, !found.contains(id)
            {
                found.append(id)
            }
            collect(from: member, under: key, into: &found, &left)
        }
        for element in value.elements {
            collect(from: element, under: name, into: &found, &left)
        }
    }

    /// An event that changes no sum and puts the payment's order into `review`.
    var notification: Notification {
        Notification(
            id: EventIdentity.text("chargeback", reference, EventIdentity.digest(of: body)),
            kind: "dispute", status: "unverified", reference: reference,
            effect: reference == nil ? .none : .doubt, flags: [.unverifiedChargeback])
    }
}

/// One scalar of a callback: its place in the text of ``EcommpayLeaves``, and its signed parts.
struct EcommpayLeaf: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case string, number, boolean, null
    }

    let kind: Kind

    /// The keys and array indices from the root, joined by `:`; a `:` inside a key is doubled.
    let path: Range<Int>

    /// The hashed text after the path and one `:`. Booleans are `1` and `0`, null is empty, a
    /// number is its literal.
    let value: Range<Int>

    /// The text `path:value`.
    var whole: Range<Int> { path.lowerBound..<value.upperBound }
}
