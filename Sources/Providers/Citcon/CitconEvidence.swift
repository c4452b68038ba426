import JSON

/// What a genuine Citcon notification says: its signed fields, and whether it says more about money
/// than the signature covers.
///
/// The unsigned words themselves are not handed on. They never raise an order's state or sum; that
/// they are there may only keep an order from being called paid.
package struct CitconEvidence: Sendable, Equatable {
    let fields: ListedFields
    /// An unsigned word says something else about the money than the signed ones.
    let hasUnsignedClaim: Bool
}

/// The words of a body that `fields` does not list.
struct UnsignedWords<Body: ListedFieldsBody> {
    let body: Body
    let fields: ListedFields

    /// The unsigned text of `name`; nil where it is signed, absent, empty, null or zero.
    private func text(_ name: StaticString) -> String? {
        guard fields[name] == nil, let text = body.unsignedText("\(name)") else { return nil }
        return ["", "0", "null", "NULL"].contains(text) ? nil : text
    }

    /// A sum beside `amount` that is not signed and differs from it.
    private var namesAnotherSum: Bool {
        ["amount_captured", "amount_refunded", "refunded_amount"]
            .contains { (name: StaticString) in text(name).map { $0 != fields["amount"] } ?? false }
    }

    /// | signed type | an unsigned word that counts |
    /// |---|---|
    /// | refund | a sum that differs from `amount`; a `refund_status` that is not a success |
    /// | anything else | a sum that was refunded, or one captured that differs from `amount` |
    /// | anything else | any `refund_status`; a `type` other than `charge` |
    func contradict(signedType: String?) -> Bool {
        if signedType == "refund" {
            return namesAnotherSum
                || text("refund_status").map { !["success", "refunded"].contains($0) } ?? false
        }
        return namesAnotherSum || text("amount_refunded") != nil || text("refunded_amount") != nil
            || text("refund_status") != nil
            || text("type").map { $0.lowercased() != "charge" } ?? false
    }
}

extension FormBody {
    func unsignedText(_ name: String) -> String? { self[name] }
}

extension ListedFieldsJSON {
    func unsignedText(_ name: String) -> String? {
        guard let value = root[name] else { return nil }
        switch value.kind {
        case .string: return value.string
        case .number: return value.lexeme
        case .null: return nil
        // Whatever it is, it is something.
        case .boolean, .object, .array: return "\(value.kind)"
        }
    }
}
