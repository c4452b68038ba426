import Payments

/// The fields of a body that its `fields` list names. Both of Citcon's gateways sign them, and only
/// they are read.
///
/// The hashed text is `name=value&name=value&…&`, sorted by name, without escaping, followed by the
/// secret. It is ambiguous by itself: `a=1&b=2` may be two fields, or one whose value is `1&b=2`.
/// ``verified(by:work:_:)`` refuses a text that has a second reading.
package struct ListedFields: Sendable, Equatable {
    /// The position of a field in the text.
    private struct Field: Sendable, Equatable {
        let name: Range<Int>

        /// The value as it was hashed.
        let written: Range<Int>
        let isNull: Bool

        /// Whether the hashed value may have been a `null`.
        let readsAsNull: Bool

        /// The value as it is read: empty for a `null`, in whichever form it was hashed, and
        /// therefore for the text `null` too.
        var value: Range<Int> {
            readsAsNull ? written.lowerBound..<written.lowerBound : written
        }
    }

    /// The hashed text without the secret and its name. Values are read from it, so every value
    /// that is read was signed.
    private(set) var signedText: [UInt8] = []

    /// The fields sorted by the bytes of their names, `fields` itself included.
    private var fields: [Field] = []

    /// The signed value of `name`; nil if it is not signed.
    subscript(_ name: StaticString) -> String? {
        value(name).map { String(decoding: signedText[$0], as: UTF8.self) }
    }

    /// The signed value of `name` if it can be an id or a status.
    func word(_ name: StaticString) -> String? {
        guard let value = value(name), signedText.span.extracting(value).isWord else { return nil }
        return String(decoding: signedText[value], as: UTF8.self)
    }

    /// The signed value of `name` if it is a time.
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

    /// Returns the fields with the first secret that `isRight` accepts for one of the texts that
    /// may have been signed.
    ///
    /// Citcon does not document the hash of a `null`: an empty text and `null` are tried. In both
    /// cases it is read as an empty text, and so is the text `"null"`, whose signature is the same.
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

    /// The same fields with each `null` hashed as `null`; nil if there is no null.
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

    /// Returns `name=value&` for each pair, sorted by name.
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

    /// Refuses a value that contains `&name=` of a signed name, because the boundary between two
    /// fields may have been moved. Any two readings of one text differ in such a place, since the
    /// list itself is part of the text. Called after the signature is verified, because the search
    /// is costly.
    ///
    /// - Throws: ``Refusal``, unauthenticated: `signed_field_ambiguous`.
    func requireUnambiguous() throws(Refusal) {
        // Each field ends with one `&`, and no name contains any.
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

    /// - Throws: `fields_required_missing` if one of `names` is not signed.
    func require(_ names: [StaticString]) throws(Refusal) {
        for name in names where value(name) == nil {
            throw .unauthenticated("fields_required_missing", "`fields` does not name \(name)")
        }
    }
}
