import JSON
import Payments

/// Reads bodies as a ``FieldMapping`` says, at one endpoint.
struct MappedInterpretation: Sendable {
    private let fields: MappedFields
    private let body: Recipe.BodyForm

    /// Whether events of the provider's test mode count.
    private let countsTests: Bool

    /// The headers that the mapping reads, in lower case.
    let headers: [String]

    init(
        _ mapping: FieldMapping, body: Recipe.BodyForm = .json,
        settings: EndpointSettings = EndpointSettings(name: "")
    ) {
        var compiler = FactCompiler(settings: settings)
        fields = MappedFields(mapping, &compiler)
        headers = compiler.headers
        self.body = body
        countsTests = settings[Self.mode] == .test
    }

    static let mode = SettingRow.mode()

    /// Whether ids are unique within the merchant's reference only.
    var idsAreOfReference: Bool { fields.ids == .reference }

    /// The values of ``headers``; nil for one that is absent or no word.
    ///
    /// - Throws: ``Refusal``, malformed: `duplicate_header`.
    func headerValues(_ delivery: SignedRequest) throws(Refusal) -> [String?] {
        var values: [String?] = []
        for name in headers {
            let value = try delivery.optional(name)
            values.append(
                value.flatMap { $0.isWord ? String(validating: $0, as: UTF8.self) : nil })
        }
        return values
    }

    /// All events of a body; never empty.
    ///
    /// - Parameters:
    ///   - document: The body, where it was parsed already.
    ///   - headerValues: Of ``headers``, in their order.
    ///   - carriedIdentity: An identity that the scheme itself carries, as `webhook-id`.
    func notifications(
        _ bytes: [UInt8], document: JSONDocument? = nil, headerValues: [String?] = [],
        carriedIdentity: String? = nil
    ) -> [Notification] {
        guard let document = document ?? (try? body.document(bytes)) else {
            return [.notUnderstood(signed: bytes)]
        }
        var events = Events(
            root: document.root, bytes: bytes, headers: headerValues,
            carriedIdentity: carriedIdentity, countsTests: countsTests)
        events.add(fields)
        return events.notifications
    }

    /// The only event of a body, for the tests.
    static func notification(
        _ body: [UInt8], mapping: FieldMapping, carriedIdentity: String? = nil
    ) -> Notification {
        MappedInterpretation(mapping)
            .notifications(body, carriedIdentity: carriedIdentity)[0]
    }
}

extension MappedInterpretation {
    /// The events of one body, in its order.
    private struct Events {
        let root: JSONValue
        let bytes: [UInt8]
        let headers: [String?]
        let carriedIdentity: String?
        let countsTests: Bool
        private(set) var notifications: [Notification] = []

        init(
            root: JSONValue, bytes: [UInt8], headers: [String?], carriedIdentity: String?,
            countsTests: Bool
        ) {
            self.root = root
            self.bytes = bytes
            self.headers = headers
            self.carriedIdentity = carriedIdentity
            self.countsTests = countsTests
        }

        /// Reads the whole body, or each element of it.
        mutating func add(_ fields: MappedFields) {
            guard let each = fields.each else { return addEvent(fields, root, isElement: false) }
            guard let array = each.path.value(in: root), array.kind == .array else {
                notifications.append(
                    event(fields, root, isElement: false).notUnderstood(signed: bytes))
                return
            }
            for (index, element) in array.elements.enumerated() {
                guard index < each.max else {
                    notifications = [.notUnderstood(signed: bytes)]
                    return
                }
                addEvent(fields, element, isElement: true)
            }
            if notifications.isEmpty {
                notifications.append(
                    Notification(
                        id: EventIdentity.digest(of: bytes), kind: EventType.ignored.kind,
                        status: EventType.ignored.status))
            }
        }

        /// By the first variant that fits, else by the fields themselves.
        private mutating func addEvent(
            _ fields: MappedFields, _ element: JSONValue, isElement: Bool
        ) {
            let reader = FactReader(root: root, element: element, headers: headers)
            let variant = fields.variants.first { $0.conditions.allSatisfy(reader.holds) }
            if let variant {
                return variant.fields.each == nil || isElement
                    ? addEvent(variant.fields, element, isElement: isElement)
                    : add(variant.fields)
            }
            notifications.append(event(fields, element, isElement: isElement).notification)
        }

        private func event(
            _ fields: MappedFields, _ element: JSONValue, isElement: Bool
        ) -> MappedEvent {
            MappedEvent(
                fields: fields,
                reader: FactReader(root: root, element: element, headers: headers),
                // All signed bytes are the identity of what names none.
                signed: isElement ? Array(element.rawBytes) : bytes,
                // One id in the header cannot tell several events apart.
                carriedIdentity: isElement ? nil : carriedIdentity, countsTests: countsTests)
        }
    }
}
