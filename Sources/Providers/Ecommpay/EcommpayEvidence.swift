import JSON
import Payments

/// What an ecommpay callback says.
package enum EcommpayEvidence: Sendable, Equatable {
    /// Everything in it is signed.
    case signed(EcommpayLeaves)
    /// Nothing in it is: a chargeback callback from a network that the endpoint names.
    case unsigned(EcommpayChargeback)
}

/// A chargeback callback. "Data is sent without any form of digital signature", once, and without
/// retries (ecommpay, "Working with chargeback callbacks"), so it proves nothing: it only says
/// which payment a person should look at.
package struct EcommpayChargeback: Sendable, Equatable {
    /// The payment that it names. Nil where it names none or several: a summary, a list.
    let reference: String?
    let body: [UInt8]

    /// Most values of a body that are looked at for the payment's id.
    private static let valuesMax = 10_000

    init(root: JSONValue, body: [UInt8]) {
        var found: [String] = []
        var left = Self.valuesMax
        Self.collect(from: root, under: "", into: &found, &left)
        reference = found.count == 1 ? found[0] : nil
        self.body = body
    }

    /// The ids at `payment_id`, and at `id` below `payment`, each once.
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

    /// An event that counts for nothing and puts the payment's order into `review`.
    var notification: Notification {
        Notification(
            id: EventIdentity.text("chargeback", reference, EventIdentity.digest(of: body)),
            kind: "dispute", status: "unverified", reference: reference,
            effect: reference == nil ? .none : .doubt, flags: [.unverifiedChargeback])
    }
}

/// One scalar of a callback: where it stands in the text of ``EcommpayLeaves``, and what of it is
/// signed.
struct EcommpayLeaf: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case string, number, boolean, null
    }

    let kind: Kind

    /// Keys and array indices from the root, joined by `:`; a `:` inside a key is doubled.
    let path: Range<Int>

    /// Behind the path and one `:`, the text that is hashed: booleans are `1` and `0`, null is
    /// empty, a number is its literal.
    let value: Range<Int>

    /// `path:value`
    var whole: Range<Int> { path.lowerBound..<value.upperBound }
}
