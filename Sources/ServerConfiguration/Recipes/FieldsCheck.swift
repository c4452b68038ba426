import Payments
import Providers

/// Finds mistakes of `fields:` whose words are right one by one.
struct FieldsCheck {
    /// `fields:` itself.
    let place: ValueReader
    let signed: SignedWords
    /// The settings that a source can name; nil for an endpoint without a recipe.
    let settings: [RecipeSetting]

    /// Types that an unsigned word must not give: with them an order is paid, or stays so.
    private static let favourable: Set<EventType> = [
        .paid, .authorized, .captured, .refundFailed, .disputeWon,
    ]

    /// Types with a sum that counts.
    private static let summed: Set<EventType> = [.paid, .captured, .refunded]

    func run(_ fields: FieldMapping) {
        check(fields, at: place, inherited: nil, conditions: [], isElement: false)
    }

    private func check(
        _ fields: FieldMapping, at place: ValueReader, inherited: FieldMapping?,
        conditions: [Condition], isElement: Bool
    ) {
        let isElement = isElement || fields.each != nil
        var known = fields
        // The mapping of an element has no `each`, and its pointers are relative.
        if isElement, known.each == nil { known.each = FieldMapping.FanOut("/") }
        checkSums(fields, place)
        checkUnsigned(known, place, inherited, conditions)
        checkNames(known, place, inherited, isElement)
        for (index, variant) in fields.variants.enumerated() {
            let own = place.value(at: "variants[\(index)]")
            check(
                variant.fields, at: own, inherited: fields,
                conditions: conditions + variant.conditions, isElement: isElement)
        }
    }

    private func checkSums(_ fields: FieldMapping, _ place: ValueReader) {
        let isAboutOrders = fields.statuses.values.contains { $0 != .ignored }
        if isAboutOrders, fields.reference == nil, fields.transaction == nil {
            report(
                place, "reference", "nothing says which order an event is about",
                "write the pointer to your order reference, or to the payment's id: `transaction`")
        }
        if fields.statuses.isEmpty, fields.variants.isEmpty {
            report(
                place, "statuses", "no word of the provider is mapped, so nothing could happen",
                "write what each word means: `statuses: {succeeded: paid}`")
        }
        let sums = fields.statuses.filter { Self.summed.contains($0.value) }.keys
        if let word = sums.min(), fields.amount == nil, !fields.withoutAmount {
            let type = fields.statuses[word]?.rawValue ?? ""
            report(
                place, "amount", "\(quoted(word)) is \(type), which needs an amount",
                "write the pointer to it, or `withoutAmount: true` where the provider sends none")
        }
        if fields.amount ?? fields.refundedAtLeast != nil, fields.currency == nil {
            report(
                place, "currency", "an amount needs a currency",
                "write the pointer to it, or the three capital letters that always apply")
        }
        if fields.amountForm == .decimal, !fields.exponents.isEmpty {
            report(
                place, "exponents", "decimal amounts have no minor units",
                "remove it, or write `amountForm: minor`")
        }
    }

    /// Unsigned words, which others can change, must not decide that an order is paid.
    private func checkUnsigned(
        _ fields: FieldMapping, _ place: ValueReader, _ inherited: FieldMapping?,
        _ conditions: [Condition]
    ) {
        for (key, source) in fields.deciding
        where inherited?.deciding.contains(where: { $0.key == key && $0.source == source }) != true
        {
            guard let word = signed.uncovered(source.leaves, fields) else { continue }
            report(
                place, key, "the signature does not cover \(word)",
                "use a signed value: an unsigned one may be in identity, reason, occurred, method "
                    + "and test")
        }
        let favourable = Set(fields.statuses.values).intersection(Self.favourable)
        guard let type = favourable.min(by: { $0.rawValue < $1.rawValue }) else { return }
        // Who can change the word can choose the meaning that pays.
        if let word = signed.uncovered(fields.status.leaves, fields) {
            report(
                place, "status",
                "the signature does not cover \(word), which can mean "
                    + type.rawValue,
                "map an unsigned word only to types that make an order look worse, such as failed "
                    + "or disputed")
        } else if let word = signed.uncovered(conditions.flatMap(\.leaves), fields) {
            report(
                place, "when",
                "the signature does not cover \(word), and this variant can mean "
                    + type.rawValue,
                "choose by a signed value, or map only words that make an order look worse")
        }
    }

    /// Settings that are none, and `root` where nothing is relative.
    private func checkNames(
        _ fields: FieldMapping, _ place: ValueReader, _ inherited: FieldMapping?, _ isElement: Bool
    ) {
        let sources =
            fields.deciding + fields.describing
            + fields.test.flatMap(\.leaves).map {
                ("test", $0)
            }
        let before = inherited.map { $0.deciding + $0.describing } ?? []
        for (key, source) in sources
        where !before.contains(where: { $0.key == key && $0.source == source }) {
            for leaf in source.leaves { check(leaf, key, place, isElement) }
        }
        for variant in fields.variants.enumerated() {
            for leaf in variant.element.conditions.flatMap(\.leaves) {
                check(leaf, "variants[\(variant.offset)].when", place, isElement)
            }
        }
    }

    private func check(_ leaf: Source, _ key: String, _ place: ValueReader, _ isElement: Bool) {
        switch leaf {
        case .root where !isElement:
            report(
                place, key, "`root` has a meaning only inside `each`",
                "write the pointer itself")
        case .setting(let name):
            settings.problem(of: name, allowsPointers: true).map {
                report(place, key, $0.problem, $0.remedy)
            }
        default: break
        }
    }

    private func report(
        _ place: ValueReader, _ key: String, _ problem: String, _ remedy: String
    ) {
        let own = place.value(at: key)
        place.reading.report(
            at: own.node.mark, key: place.key.isEmpty ? key : "\(place.key).\(key)",
            problem: problem, remedy: remedy)
    }
}

extension [RecipeSetting] {
    /// Why a source or a template cannot name this setting; nil if it can.
    func problem(
        of key: String, allowsPointers: Bool
    ) -> (problem: String, remedy: String)? {
        guard let setting = first(where: { $0.key == key }) else {
            return (
                "there is no setting \(quoted(key))",
                isEmpty
                    ? "only a recipe has settings of its own"
                    : Suggestion.remedy(for: key, among: map(\.key))
            )
        }
        switch setting.kind {
        case .secrets, .seconds, .words:
            return (
                "the setting \(quoted(key)) is no single text", "name a setting of another kind"
            )
        case .pointers where !allowsPointers:
            return (
                "the setting \(quoted(key)) is no single text", "name a setting of another kind"
            )
        default: return nil
        }
    }
}
