import Payments

/// A ``Source`` made ready for one endpoint: pointers taken apart, settings put in.
indirect enum FactSource: Sendable {
    case absent
    case element(PointerPath)
    case root(PointerPath)
    case text(String)
    /// By its place in the list of headers that the mapping reads.
    case header(Int)
    case first([FactSource])
    case join([FactSource], with: String)
    case optional(FactSource)
    case prefixed(String, of: FactSource)
    /// Absent unless the conditions hold, or (`holds` is false) where they do.
    case given([FactCondition], holds: Bool, FactSource)
}

/// A ``Condition`` made ready for one endpoint.
struct FactCondition: Sendable {
    enum Test: Sendable {
        case words([ExactText], isOneOf: Bool)
        case isPresent(Bool)
        case beginnings([String])
        case ends([String])
        case differsFrom(FactSource)
    }

    let subject: FactSource
    let test: Test
}

/// Makes sources ready for one endpoint, and collects the headers that they read.
struct FactCompiler {
    let settings: EndpointSettings
    private(set) var headers: [String] = []

    init(settings: EndpointSettings) { self.settings = settings }

    /// ``FactSource/absent`` for nil, for a setting that the endpoint leaves out, and for what
    /// ``FieldMapping/check()`` refuses.
    mutating func source(_ source: Source?) -> FactSource {
        switch source {
        case nil: .absent
        case .pointer(let pointer): PointerPath(pointer).map { .element($0) } ?? .absent
        case .root(let pointer): PointerPath(pointer).map { .root($0) } ?? .absent
        case .first(let sources): .first(sources.map { self.source($0) })
        case .text(let text): .text(text)
        case .header(let name): header(name.lowercased())
        case .setting(let key): setting(key)
        case .join(let parts, let separator): .join(parts.map { self.source($0) }, with: separator)
        case .optional(let source): .optional(self.source(source))
        case .prefixed(let prefix, let source): .prefixed(prefix, of: self.source(source))
        case .when(let conditions, let source):
            .given(self.conditions(conditions), holds: true, self.source(source))
        case .unless(let conditions, let source):
            .given(self.conditions(conditions), holds: false, self.source(source))
        }
    }

    mutating func conditions(_ conditions: [Condition]) -> [FactCondition] {
        conditions.map { condition in
            let test: FactCondition.Test =
                switch condition.test {
                case .isOneOf(let words): .words(words.map { ExactText($0) }, isOneOf: true)
                case .isNoneOf(let words): .words(words.map { ExactText($0) }, isOneOf: false)
                case .isPresent(let isPresent): .isPresent(isPresent)
                case .startsWith(let texts): .beginnings(texts)
                case .endsWith(let texts): .ends(texts)
                case .differsFrom(let source): .differsFrom(self.source(source))
                }
            return FactCondition(subject: source(condition.subject), test: test)
        }
    }

    private mutating func header(_ name: String) -> FactSource {
        if let place = headers.firstIndex(of: name) { return .header(place) }
        headers.append(name)
        return .header(headers.count - 1)
    }

    private mutating func setting(_ key: String) -> FactSource {
        switch settings[key] {
        case .text(let text): .text(text)
        case .integer(let number): .text(String(number))
        case .texts(let pointers): .first(pointers.map { source(.pointer($0)) })
        default: .absent
        }
    }
}
