import Payments
import Providers
import Yams

// The parts of a recipe besides the proof and the fields: answers, marks, samples and notes.

extension ValueReader {
    func answers() -> RecipeAnswers? {
        guard let section = mapping() else { return nil }
        let answers = RecipeAnswers(
            accepted: section.optional("accepted").flatMap { $0.answer(in: 200...299) },
            unauthenticated: section.optional("unauthenticated").flatMap {
                $0.answer(in: 400...599)
            },
            malformed: section.optional("malformed").flatMap { $0.answer(in: 400...599) },
            unavailable: section.optional("unavailable").flatMap { $0.answer(in: 500...599) })
        section.finish()
        return answers
    }

    private func answer(in range: ClosedRange<Int>) -> Answer? {
        guard let section = mapping() else { return nil }
        let status = section.required("status", "write `status: \(range.lowerBound)`")?
            .integer(in: range)
        let body = section.optional("body").map { $0.text() } ?? ""
        let type = section.optional("type").flatMap { $0.filledText() }
        section.finish()
        guard let status, let body else { return nil }
        if status == 204, !body.isEmpty {
            section.mistake("body", "a 204 has no body (RFC 9110 §15.3.5)", "write `status: 200`")
        }
        return Answer(
            status: status,
            contentType: type ?? (body.isEmpty ? nil : "text/plain; charset=utf-8"),
            body: Array(body.utf8))
    }

    /// `2xx`, one status, or a list.
    func acceptedStatuses() -> AcceptedStatuses? {
        if case .scalar(let scalar) = node, scalar.string == "2xx" { return .success }
        if case .scalar = node { return integer(in: 200...299).map { .only([$0]) } }
        guard let values = sequence() else { return nil }
        if values.isEmpty { mistake("is empty", "write `2xx`, or the statuses") }
        return .only(values.compactMap { $0.integer(in: 200...299) })
    }

    func marks() -> Marks? {
        guard let section = mapping() else { return nil }
        let headers = section.optional("headers").map { $0.markLists { $0.headerName() } } ?? []
        let fields = section.optional("fields").map { $0.markLists { $0.filledText() } } ?? []
        section.finish()
        if headers.isEmpty, fields.isEmpty {
            mistake(
                "a request at a wrong path would never be recognised",
                "write `headers: [[x-acme-signature]]`, or `fields: [[merchant_id, signature]]`")
        }
        return Marks(headers: headers, fields: fields)
    }

    private func markLists(_ name: (ValueReader) -> String?) -> [[String]] {
        (sequence() ?? []).compactMap { value in
            if case .scalar = value.node { return name(value).map { [$0] } }
            guard let names = value.sequence() else { return nil }
            if names.isEmpty { value.mistake("is empty", "every request would have these marks") }
            return names.compactMap(name)
        }
    }

    func notes() -> [RecipeNote]? {
        mapping()?.all.compactMap { title, value in
            value.filledText().map { RecipeNote(title: title, text: $0) }
        }
    }
}

extension ValueReader {
    /// `all`, types of events, `ids` and `headers`.
    func samples() -> RecipeSamples? {
        guard let section = mapping() else { return nil }
        var samples = RecipeSamples()
        samples.all = section.optional("all").flatMap { $0.constants() } ?? [:]
        for type in EventType.allCases {
            guard let place = section.optional(type.rawValue) else { continue }
            samples.types[type] = place.constants()
        }
        if let ids = section.optional("ids")?.mapping() {
            for name in ["identity", "transaction", "action"] {
                ids.optional(name).flatMap { $0.filledText() }.map { samples.idPrefixes[name] = $0 }
            }
            ids.finish()
        }
        for (name, value) in section.optional("headers")?.mapping()?.all ?? [] {
            value.filledText().map { samples.headers[name.lowercased()] = $0 }
        }
        section.finish()
        return samples
    }

    /// Values by the pointer at which they are.
    private func constants() -> [String: SampleValue]? {
        guard let section = mapping() else { return nil }
        var constants: [String: SampleValue] = [:]
        for (pointer, value) in section.all {
            guard Self.isPointer(pointer) else {
                value.mistake(
                    "\(quoted(pointer)) is not a valid JSON pointer",
                    "write slashes before every name, as in /payment/amount (RFC 6901)")
                continue
            }
            constants[pointer] = Self.sample(value.node)
        }
        return constants
    }

    private static func sample(_ node: Node) -> SampleValue {
        switch node {
        case .scalar(let scalar): sample(scalar)
        case .sequence(let nodes): .list(nodes.map(sample))
        case .mapping(let pairs):
            .object(
                Dictionary(
                    pairs.map { ($0.key.string ?? "", sample($0.value)) },
                    uniquingKeysWith: { first, _ in first }))
        case .alias: .null
        }
    }

    private static func sample(_ scalar: Node.Scalar) -> SampleValue {
        guard scalar.style == .plain else { return .text(scalar.string) }
        switch scalar.string {
        case "", "~", "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        case let text where isNumber(text): return .number(text)
        default: return .text(scalar.string)
        }
    }

    /// A JSON number without an exponent (RFC 8259 §6).
    private static func isNumber(_ text: String) -> Bool {
        let parts = text.utf8.drop { $0 == UInt8(ascii: "-") }.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.count <= 2, !text.hasPrefix("--"),
            parts.allSatisfy({ part in
                !part.isEmpty && part.allSatisfy { (0x30...0x39).contains($0) }
            })
        else { return false }
        return whole.count == 1 || whole.first != 0x30
    }
}
