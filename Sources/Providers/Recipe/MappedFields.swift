import Payments

/// A ``FieldMapping`` made ready for one endpoint. A class, because each notification refers to it.
final class MappedFields: Sendable {
    struct Variant: Sendable {
        let conditions: [FactCondition]
        let fields: MappedFields
    }

    /// The meaning of a word of the provider's.
    struct Meaning: Sendable {
        let type: EventType
        let flags: [Flag]
        /// The undone operation, for a type that undoes one.
        let reversal: Reversal.Kind
    }

    let each: (path: PointerPath, max: Int)?
    /// Empty where the body (or element) is the identity.
    let identity: [FactSource]
    let reference: FactSource
    /// Nil where the reference is used for it.
    let transaction: FactSource?
    let action: FactSource
    let alias: FactSource
    let status: FactSource
    let amount: FactSource
    let amountForm: FieldMapping.AmountForm
    let exponents: [Currency: Int]
    let takesNoAmount: Bool
    let currency: FactSource
    let refundedAtLeast: FactSource
    let occurred: FactSource
    let occurredForm: TimeForm?
    let reason: (code: FactSource, message: FactSource)?
    let method: FactSource
    let agreement: FactSource
    let test: [FactCondition]
    let ids: IDSpace
    let variants: [Variant]

    private let words: [ExactText: Meaning]
    /// Longest first.
    private let beginnings: [(text: String, meaning: Meaning)]

    init(_ mapping: FieldMapping, _ compiler: inout FactCompiler) {
        each = mapping.each.flatMap { each in
            PointerPath(each.pointer).map { ($0, each.max) }
        }
        identity = mapping.identity.map { compiler.source($0) }
        reference = compiler.source(mapping.reference)
        transaction = mapping.transaction.map { compiler.source($0) }
        action = compiler.source(mapping.action)
        alias = compiler.source(mapping.alias)
        status = compiler.source(mapping.status)
        amount = compiler.source(mapping.amount)
        amountForm = mapping.amountForm
        var exponents: [Currency: Int] = [:]
        for (code, exponent) in mapping.exponents {
            Currency(code).map { exponents[$0] = exponent }
        }
        self.exponents = exponents
        takesNoAmount = mapping.withoutAmount
        currency = compiler.source(mapping.currency)
        refundedAtLeast = compiler.source(mapping.refundedAtLeast)
        occurred = compiler.source(mapping.occurred)
        occurredForm = mapping.occurredForm
        reason = mapping.reason.map { (compiler.source($0.code), compiler.source($0.message)) }
        method = compiler.source(mapping.method)
        agreement = compiler.source(mapping.agreement)
        test = compiler.conditions(mapping.test)
        ids = mapping.scope.ids
        variants = mapping.variants.map { variant in
            var fields = variant.fields
            // An element has no further elements.
            if mapping.each != nil { fields.each = nil }
            return Variant(
                conditions: compiler.conditions(variant.conditions),
                fields: MappedFields(fields, &compiler))
        }
        var words: [ExactText: Meaning] = [:]
        var beginnings: [(text: String, meaning: Meaning)] = []
        for (word, type) in mapping.statuses {
            let meaning = Meaning(
                type: type, flags: mapping.statusFlags[word] ?? [],
                reversal: mapping.reversalKinds[word] ?? .operation)
            if word.hasSuffix("*") {
                beginnings.append((String(word.dropLast()), meaning))
            } else {
                words[ExactText(word)] = meaning
            }
        }
        self.words = words
        self.beginnings = beginnings.sorted { $0.text.utf8.count > $1.text.utf8.count }
    }

    /// Nil for a word that nothing maps.
    func meaning(of word: String) -> Meaning? {
        words[ExactText(word)]
            ?? beginnings.first { word.utf8.starts(with: $0.text.utf8) }?.meaning
    }
}
