import JSON
import Payments

/// Writes bodies that have everything where a ``FieldMapping`` looks for it.
struct MappedSample {
    /// A body, and the headers that the mapping reads.
    struct Content {
        var tree: SampleTree
        var headers: [(name: String, value: String)]
    }

    private let mapping: FieldMapping
    private let body: Recipe.BodyForm
    private let samples: RecipeSamples
    private let settings: EndpointSettings
    private let interpretation: MappedInterpretation

    init(
        mapping: FieldMapping, body: Recipe.BodyForm = .json,
        samples: RecipeSamples = RecipeSamples(),
        settings: EndpointSettings = EndpointSettings(name: "")
    ) {
        self.mapping = mapping
        self.body = body
        self.samples = samples
        self.settings = settings
        interpretation = MappedInterpretation(mapping, body: body, settings: settings)
    }

    /// The body of an event.
    ///
    /// - Throws: ``SenderError`` for an event that no word means, and an amount that cannot be
    ///   written.
    func body(_ event: SampleEvent) throws(SenderError) -> [UInt8] {
        try content(event).tree.bytes(body)
    }

    /// Whether the mapping reads a mark of tests that a body or header can have.
    var marksTests: Bool { testMark != nil }

    private var testMark: Condition? {
        mapping.test.first { condition in
            guard case .isOneOf = condition.test else { return false }
            switch condition.subject {
            case .pointer, .root, .header: return true
            default: return false
            }
        }
    }

    /// Whether some word means such an event, or one that is written in its place.
    func hasWord(for type: EventType) -> Bool { writes(type) || writes(Self.substitute(type)) }

    /// Where every failure is that of one try, a failure is one; where money is only ever taken by
    /// captures, a payment is one.
    private static func substitute(_ type: EventType) -> EventType {
        switch type {
        case .failed: .tryFailed
        case .paid: .captured
        default: type
        }
    }

    private func writes(_ type: EventType) -> Bool {
        candidates(for: type, in: mapping).contains { !$0.words.isEmpty }
    }

    /// The first of all ways to write the event that is read as it; the first of all where none is.
    ///
    /// - Throws: ``SenderError`` as ``body(_:)``.
    func content(_ event: SampleEvent) throws(SenderError) -> Content {
        _ = try event.digits()
        var event = event
        if !writes(event.type) { event.type = Self.substitute(event.type) }
        var first: Content?
        for candidate in candidates(for: event.type, in: mapping) {
            for word in candidate.words {
                let marks = event.isTest ? testMark.map { [($0, candidate.each != nil)] } : nil
                let writer = SampleWriter(
                    fields: candidate.fields, each: candidate.each,
                    conditions: candidate.conditions + (marks ?? []),
                    areConstantsOfElements: mapping.each != nil, samples: samples,
                    settings: settings)
                for content in try writer.contents(event, word: word) {
                    if isRead(content, as: event) { return content }
                    first = first ?? content
                }
            }
        }
        guard let first else { throw .unsupported(event.type) }
        return first
    }

    private func isRead(_ content: Content, as event: SampleEvent) -> Bool {
        let headers = interpretation.headers.map { name in
            content.headers.first { $0.name == name }?.value
        }
        let read = interpretation.notifications(content.tree.bytes(body), headerValues: headers)
        guard read.count == 1, read[0].kind == event.type.kind else { return false }
        // A live endpoint reads a test as an event without an effect.
        if event.isTest, marksTests { return read[0].flags.contains(.testMode) }
        return read[0].status == event.type.status && !read[0].flags.contains(.unknownStatus)
            && (event.type == .ignored) == (read[0].effect == .none)
    }

    // MARK: Candidates

    private struct Candidate {
        let fields: FieldMapping
        let each: FieldMapping.FanOut?
        /// With the fan-out in which each is met.
        let conditions: [(condition: Condition, isInElement: Bool)]
        let words: [String]
    }

    /// The fields that know a word for the type, those of the mapping itself first.
    private func candidates(
        for type: EventType, in mapping: FieldMapping, each: FieldMapping.FanOut? = nil,
        conditions: [(condition: Condition, isInElement: Bool)] = []
    ) -> [Candidate] {
        let each = each ?? mapping.each
        let words = mapping.statuses.filter { $0.value == type }.keys.sorted {
            $0.hasSuffix("*") == $1.hasSuffix("*")
                ? utf8Precedes($0, $1) : $1.hasSuffix("*")
        }
        let own = Candidate(
            fields: mapping, each: each, conditions: conditions, words: words.map(Self.example))
        return [own]
            + mapping.variants.flatMap { variant in
                candidates(
                    for: type, in: variant.fields, each: each,
                    conditions: conditions + variant.conditions.map { ($0, each != nil) })
            }
    }

    /// A word that a beginning with a `*` stands for.
    private static func example(_ word: String) -> String {
        word.hasSuffix("*") ? word.dropLast() + "sample" : word
    }
}
