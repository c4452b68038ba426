import Payments

/// The fields of a body that its `fields` list names: what both of Citcon's gateways sign, and all
/// that is read of them.
///
/// The text that is hashed is `name=value&name=value&…&`, sorted by name, nothing escaped, and
/// after it the secret. It is not injective by itself: `a=1&b=2` may be two fields, or one whose
/// value is `1&b=2`. ``init(listing:in:)`` refuses what would make two readings of one text
/// possible.
package struct ListedFields: Sendable, Equatable {
    /// Where a field stands in the text.
    private struct Field: Sendable, Equatable {
        let name: Range<Int>

        /// What was hashed.
        let written: Range<Int>
        let isNull: Bool

        /// Whether what was hashed may have been a `null`.
        let readsAsNull: Bool

        /// Empty for a `null`, however it was hashed, and so for a text of these four letters.
        var value: Range<Int> {
            readsAsNull ? written.lowerBound..<written.lowerBound : written
        }
    }

    /// What is hashed, up to where the secret's own name follows: what is read was signed.
    private(set) var signedText: [UInt8] = []

    /// Sorted by the bytes of their names; `fields` is one of them.
    private var fields: [Field] = []

    /// The signed value of `name`; nil where it is not signed.
    subscript(_ name: StaticString) -> String? {
        value(name).map { String(decoding: signedText[$0], as: UTF8.self) }
    }

    /// The signed value of `name` where it can be an id or a status.
    func word(_ name: StaticString) -> String? {
        guard let value = value(name), signedText.span.extracting(value).isWord else { return nil }
        return String(decoding: signedText[value], as: UTF8.self)
    }

    /// The signed value of `name` where it is a time.
    func time(_ name: StaticString) -> Timestamp? {
        value(name).flatMap { Timestamp(lenient: signedText.span.extracting($0)) }
    }

    private func value(_ name: StaticString) -> Range<Int>? {
        let text = signedText.span
        for field in fields where text.extracting(field.name).spells(name) { return field.value }
        return nil
    }

    /// Collects the fields that `list` names from `body`, each `null` as an empty text.
    ///
    /// - Throws: ``Refusal``, unauthenticated, because without an unambiguous list there is no
    ///   signature to check; `verification_too_costly`.
    init(
        listing list: ArraySlice<UInt8>, in body: some ListedFieldsBody,
        work: inout VerificationWork
    ) throws(Refusal) {
        try work.spend(list.count)
        let names = try ListedNames(list.span).table
        try work.spend(names.touchedBytes)
        var sorted = SortedFields()
        sorted.begin("fields".utf8.span)
        sorted.text.append(list.span)
        sorted.end()
        try body.appendSignedValues(of: names, to: &sorted, work: &work)
        try work.spend(2 * sorted.text.count + sorted.comparedBytes)
        self.init(sorted)
    }

    /// The first secret that `isRight` accepts for one of the texts that may have been signed. How
    /// Citcon hashes a `null` is not documented: it is tried as an empty text and as `null`. It is
    /// read as an empty text in both cases, and so is the text `"null"`, which is signed alike.
    ///
    /// - Throws: ``Refusal``, unauthenticated: `signature_mismatch`, `signed_field_ambiguous`;
    ///   `verification_too_costly`.
    func verified<Secret>(
        by secrets: Secrets<Secret>, work: inout VerificationWork,
        _ isRight: (_ text: [UInt8], _ secret: Secret) -> Bool
    ) throws(Refusal) -> Verified<ListedFields> {
        if let verified = try proved(by: secrets, work: &work, isRight) { return verified }
        if let verified = try withNullsWritten?.proved(by: secrets, work: &work, isRight) {
            return verified
        }
        throw .signatureMismatch
    }

    private func proved<Secret>(
        by secrets: Secrets<Secret>, work: inout VerificationWork,
        _ isRight: (_ text: [UInt8], _ secret: Secret) -> Bool
    ) throws(Refusal) -> Verified<ListedFields>? {
        try work.spend(signedText.count * secrets.values.count)
        guard let key = secrets.ordinal(where: { isRight(signedText, $0) }) else { return nil }
        try requireUnambiguous()
        return Verified(evidence: self, key: key)
    }

    /// The same with each `null` hashed as these four letters; nil where there is none.
    private var withNullsWritten: ListedFields? {
        guard fields.contains(where: \.isNull) else { return nil }
        var sorted = SortedFields()
        let text = signedText.span
        for field in fields {
            sorted.begin(text.extracting(field.name))
            if field.isNull {
                sorted.text += "null".utf8
            } else {
                sorted.text.append(text.extracting(field.written))
            }
            sorted.end(isNull: field.isNull)
        }
        return ListedFields(sorted)
    }

    /// `name=value&` for each pair, sorted by name.
    static func signedText(_ pairs: [(name: String, value: String)]) -> [UInt8] {
        var sorted = SortedFields()
        for pair in pairs {
            sorted.begin(pair.name.utf8.span)
            sorted.text.append(pair.value.utf8.span)
            sorted.end()
        }
        return ListedFields(sorted).signedText
    }

    private init(_ sorted: SortedFields) {
        signedText.reserveCapacity(sorted.text.count)
        fields.reserveCapacity(sorted.fields.count)
        for field in sorted.fields {
            let moved = signedText.count - field.start
            signedText.append(sorted.text.span.extracting(field.start..<field.end))
            let written = (field.nameEnd + 1 + moved)..<(field.end - 1 + moved)
            fields.append(
                Field(
                    name: (field.start + moved)..<(field.nameEnd + moved), written: written,
                    isNull: field.isNull,
                    readsAsNull: field.isNull || signedText.span.extracting(written).spells("null")
                ))
        }
    }

    /// Refuses a value that holds `&name=` of a signed name: somebody may have moved the seam
    /// between two fields. Any two readings of one text differ in such a place, because the list
    /// itself is part of the text. Asked once the signature is right: only then is the text worth
    /// the search.
    ///
    /// - Throws: ``Refusal``, unauthenticated: `signed_field_ambiguous`.
    func requireUnambiguous() throws(Refusal) {
        // One stands behind each field, and no name has any.
        guard signedText.span.count(of: UInt8(ascii: "&")) > fields.count else { return }
        for field in fields {
            let value = Array(signedText[field.value])
            for other in fields {
                guard value.holds(Array("&\(text(other.name))=".utf8)) else { continue }
                throw .unauthenticated(
                    "signed_field_ambiguous",
                    "the value of \(text(field.name)) holds &\(text(other.name))=")
            }
        }
    }

    private func text(_ part: Range<Int>) -> String {
        String(decoding: signedText[part], as: UTF8.self)
    }

    /// - Throws: `fields_required_missing` where one of `names` is not signed.
    func require(_ names: [StaticString]) throws(Refusal) {
        for name in names where value(name) == nil {
            throw .unauthenticated("fields_required_missing", "`fields` does not name \(name)")
        }
    }
}
