import Bytes
import Cryptography
import JSON
import Payments
import Records

/// Removes from a request what must not be stored: full card numbers and security codes always, and
/// the members that the endpoint's `redact` names.
///
/// It works on the copy for the store and for the rejection log, after the signature was checked
/// and the notification interpreted, so neither sums nor identities depend on it. A request that
/// was changed has a `RedactionMark`; it can no longer be verified from the record.
package struct Redactor: Sendable {
    private var bodyRules: [ArraySlice<[UInt8]?>] = []
    private var formNames: [[UInt8]] = []
    private var queryNames: [[UInt8]] = []
    private var headerNames: [String] = []
    private let hashKey: HMACKey?

    /// - Parameters:
    ///   - rules: The endpoint's, for notifications and for the answers to its inquiries.
    ///   - hashKey: Replaced values become a hash with this key, so that equal ones can be
    ///     recognised; nil for the same text in place of each.
    package init(_ rules: [RedactionRule] = [], hashKey: [UInt8]? = nil) {
        self.hashKey = hashKey.map { HMACKey(.sha256, $0) }
        for rule in rules {
            switch rule.place {
            case .body(let steps): bodyRules.append(steps[...])
            case .form(let name): formNames.append(name)
            case .query(let name): queryNames.append(name)
            case .header(let name): headerNames.append(name)
            }
        }
    }

    /// Removes what must not be stored from `request`.
    package func redact(_ request: inout RecordedRequest) {
        var mark = RedactionMark()
        let original = request.body
        redact(headers: &request.headers, &mark)
        redact(target: &request.target, &mark)
        redact(body: &request.body, &mark)
        finish(mark, &request.redaction, original)
    }

    /// Removes what must not be stored from the answer of a provider.
    package func redact(_ inquiry: inout RecordedInquiry) {
        var mark = RedactionMark()
        let original = inquiry.body
        redact(headers: &inquiry.headers, &mark)
        redact(body: &inquiry.body, &mark)
        finish(mark, &inquiry.redaction, original)
    }

    /// Masks card numbers in the provider's words for a failure. The other texts of a notification
    /// are ids and statuses.
    package func redact(_ notification: inout Notification) {
        guard let reason = notification.reason else { return }
        notification.reason = Reason(code: masked(reason.code), message: masked(reason.message))
    }

    /// Returns `text` with the card numbers in it masked, for sentences in logs and records.
    package func masked(_ text: String) -> String {
        var mark = RedactionMark()
        return mask(Array(text.utf8), &mark).map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// Returns `document`, a JSON text, without card numbers and security codes.
    package func masked(json document: [UInt8]) -> [UInt8] {
        guard Suspicion.isRaised(by: document.span) else { return document }
        var mark = RedactionMark()
        var edited = document
        guard redactJSON(&edited, [], &mark) else { return document }
        return edited
    }

    private func finish(
        _ mark: RedactionMark, _ result: inout RedactionMark?, _ original: [UInt8]
    ) {
        guard !mark.isEmpty else { return }
        var mark = mark
        mark.bodySHA256 = SHA256.hash(original)
        result = mark
    }
}

// MARK: Places

extension Redactor {
    private func redact(headers: inout [Header], _ mark: inout RedactionMark) {
        // Nearly always none: the lines are then left shared with the request.
        for index in suspects(among: headers) {
            let header = headers[index]
            if headerNames.contains(where: { header.isNamed($0) }), !header.value.isEmpty {
                mark.values += 1
                headers[index] = Header(
                    name: header.name, value: replacement(of: Array(header.value)))
            } else if !ValueMeaning(header.name).isOfID,
                let masked = mask(Array(header.value), &mark)
            {
                headers[index] = Header(name: header.name, value: masked)
            }
        }
    }

    /// The indices of the lines that may have to be changed.
    private func suspects(among headers: [Header]) -> [Int] {
        headers.indices.filter { index in
            headers[index].withParts { Suspicion.isRaised(by: $1) }
                || headerNames.contains { headers[index].isNamed($0) }
        }
    }

    private func redact(target: inout ArraySlice<UInt8>, _ mark: inout RedactionMark) {
        guard let question = target.firstIndex(of: UInt8(ascii: "?")) else { return }
        let query = target[(question + 1)...]
        guard !queryNames.isEmpty || Suspicion.isRaised(by: query.span) else { return }
        let edits = editsOfForm(query, queryNames, &mark)
        guard !edits.isEmpty else { return }
        target = target[...question] + edits.applied(to: query)
    }

    private func redact(body: inout [UInt8], _ mark: inout RedactionMark) {
        let hasRules = !bodyRules.isEmpty || !formNames.isEmpty
        guard hasRules || Suspicion.isRaised(by: body.span) else { return }
        switch body.first(where: { !$0.isWhiteSpace }) {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if redactJSON(&body, bodyRules, &mark) { return }
            // What cannot be read cannot be redacted member by member.
            if !bodyRules.isEmpty { return drop(&body, &mark) }
            if let masked = mask(body, &mark) { body = masked }
        case UInt8(ascii: "<"): if let masked = mask(body, &mark) { body = masked }
        default:
            guard body.contains(UInt8(ascii: "=")) else {
                if let masked = mask(body, &mark) { body = masked }
                return
            }
            let edits = editsOfForm(body[...], formNames, &mark)
            if !edits.isEmpty { body = edits.applied(to: body[...]) }
        }
    }

    private func drop(_ body: inout [UInt8], _ mark: inout RedactionMark) {
        mark.values += 1
        body = replacement(of: body)
    }
}

// MARK: JSON

extension Redactor {
    /// Whether `body` is JSON; then it is redacted.
    private func redactJSON(
        _ body: inout [UInt8], _ rules: [ArraySlice<[UInt8]?>], _ mark: inout RedactionMark
    ) -> Bool {
        guard let document = try? JSONDocument(parsing: body) else { return false }
        var edits = BodyEdits()
        visit(document.root, Self.noName.span, rules, &edits, &mark)
        if !edits.isEmpty { body = edits.applied(to: body[...]) }
        return true
    }

    private func visit(
        _ value: JSONValue, _ name: Span<UInt8>, _ rules: [ArraySlice<[UInt8]?>],
        _ edits: inout BodyEdits, _ mark: inout RedactionMark
    ) {
        if rules.contains(where: \.isEmpty), !value.isNull {
            mark.values += 1
            var text: [UInt8] = []
            value.appendText(to: &text)
            let known = text.isEmpty ? Array(value.rawBytes) : text
            return edits.replace(value.rawBytes.indices, with: Self.quoted(replacement(of: known)))
        }
        switch value.kind {
        case .object:
            value.forEachMember { name, member in
                visit(member, name, Self.rest(of: rules, after: name), &edits, &mark)
            }
        case .array:
            for (index, element) in value.elements.enumerated() {
                let rest =
                    rules.isEmpty ? [] : Self.rest(of: rules, after: Array("\(index)".utf8).span)
                visit(element, name, rest, &edits, &mark)
            }
        case .string, .number: mask(value, name, &edits, &mark)
        case .boolean, .null: break
        }
    }

    private func mask(
        _ value: JSONValue, _ name: Span<UInt8>, _ edits: inout BodyEdits,
        _ mark: inout RedactionMark
    ) {
        let raw = value.rawBytes
        // Three or four digits, with or without quotes.
        let mayBeCode = (3...6).contains(raw.count)
        guard mayBeCode || Suspicion.isRaised(by: raw.span) else { return }
        let member = ValueMeaning(name.indices.map { name[$0] })
        var text: [UInt8] = []
        value.appendText(to: &text)
        if mayBeCode {
            guard member.isOfSecurityCode, Self.isSecurityCode(text) else { return }
            mark.codes += 1
            edits.replace(raw.indices, with: Self.quoted(Self.text))
        } else if !member.isOfID, let masked = mask(text, &mark) {
            edits.replace(raw.indices, with: Self.quoted(masked))
        }
    }

    private static func isSecurityCode(_ text: [UInt8]) -> Bool {
        (3...4).contains(text.count) && text.allSatisfy(\.isDigit)
    }

    /// The rest of each rule that leads to the member or element `name`.
    private static func rest(
        of rules: [ArraySlice<[UInt8]?>], after name: Span<UInt8>
    ) -> [ArraySlice<[UInt8]?>] {
        var rest: [ArraySlice<[UInt8]?>] = []
        for rule in rules {
            guard let step = rule.first else { continue }
            guard let step else {
                rest.append(rule.dropFirst())
                continue
            }
            if step.span.isEqual(to: name) { rest.append(rule.dropFirst()) }
        }
        return rest
    }

    private static let noName: [UInt8] = []

    private static func quoted(_ text: [UInt8]) -> [UInt8] {
        var json = JSONWriter(reserving: text.count + 2)
        json.string(utf8: text[...])
        return json.bytes
    }
}

// MARK: Forms and texts

extension Redactor {
    /// The replacements in an `application/x-www-form-urlencoded` text. Fields stay where they are,
    /// and are compared by their decoded names.
    private func editsOfForm(
        _ text: ArraySlice<UInt8>, _ names: [[UInt8]], _ mark: inout RedactionMark
    ) -> BodyEdits {
        var edits = BodyEdits()
        for pair in text.split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let name = Self.decoded(pair[..<equals])
            if let masked = mask(name, &mark) {
                let bytes = Array(PercentEncoding.encode(masked).utf8)
                edits.replace(pair.startIndex..<equals, with: bytes)
            }
            let raw = pair[equals...].dropFirst()
            let value = Self.decoded(raw)
            guard !value.isEmpty else { continue }
            let member = ValueMeaning(name)
            if names.contains(name) {
                mark.values += 1
                edits.replace(raw.indices, with: replacement(of: value))
            } else if member.isOfSecurityCode, Self.isSecurityCode(value) {
                mark.codes += 1
                edits.replace(raw.indices, with: Self.text)
            } else if !member.isOfID, let masked = mask(value, &mark) {
                edits.replace(raw.indices, with: Array(PercentEncoding.encode(masked).utf8))
            }
        }
        return edits
    }

    /// The decoded part of a form; as it is where an escape is broken.
    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let spaced = text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return PercentEncoding.decode(spaced[...]) ?? spaced
    }

    /// `text` with its card numbers masked; nil if it has none.
    private func mask(_ text: [UInt8], _ mark: inout RedactionMark) -> [UInt8]? {
        let places = CardNumber.places(in: text.span)
        guard !places.isEmpty else { return nil }
        var masked = text
        for place in places { CardNumber.mask(place, of: &masked) }
        mark.cards += places.count
        return masked
    }

    private static let text = Array("redacted".utf8)

    /// The text in place of `value`: `redacted`, or `redacted-` and the first 16 hexadecimal digits
    /// of HMAC-SHA-256 over it.
    private func replacement(of value: [UInt8]) -> [UInt8] {
        guard let hashKey else { return Self.text }
        return Self.text + [UInt8(ascii: "-")]
            + Hex.digits(of: Array(hashKey.code(parts: [value[...]]).prefix(8)))
    }
}

extension Span<UInt8> {
    fileprivate func isEqual(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }
}
