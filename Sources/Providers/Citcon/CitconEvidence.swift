import JSON

/// The signed fields of a genuine Citcon notification, and whether unsigned fields contradict them
/// about money.
///
/// The unsigned fields themselves are not kept. They never raise an order's state or sum; their
/// presence can only keep an order from being paid.
public struct CitconEvidence: Sendable, Equatable {
    let fields: ListedFields
    /// Whether an unsigned field contradicts the signed ones about money.
    let hasUnsignedClaim: Bool
}

/// The fields of a body that its `fields` list does not name.
struct UnsignedWords<Body: ListedFieldsBody> {
    let body: Body
    let fields: ListedFields

    /// The unsigned text of `name`; nil where it is signed, absent, empty, null or zero.
    private func text(_ name: StaticString) -> String? {
        guard fields[name] == nil, let text = body.unsignedText("\(name)") else { return nil }
        return ["", "0", "null", "NULL"].contains(text) ? nil : text
    }

    /// Whether an unsigned sum differs from `amount`.
    private var namesAnotherSum: Bool {
        ["amount_captured", "amount_refunded", "refunded_amount"]
            .contains { (name: StaticString) in text(name).map { $0 != fields["amount"] } ?? false }
    }

    /// Whether an unsigned field contradicts the signed ones about money.
    ///
    /// | signed type | unsigned field that contradicts |
    /// |---|---|
    /// | refund | a sum that differs from `amount`; a `refund_status` that is not a success |
    /// | anything else | a refunded sum, or a captured sum that differs from `amount` |
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

extension ListedFieldsJSON {
    func unsignedText(_ name: String) -> String? {
        guard let value = root[name] else { return nil }
        switch value.kind {
        case .string: return value.string
        case .number: return value.lexeme
        case .null: return nil
        // Any value of these kinds counts as present.
        case .boolean, .object, .array: return "\(value.kind)"
        }
    }
}
