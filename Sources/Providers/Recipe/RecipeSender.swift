import Bytes
import JSON
import Payments

/// The part of a system that a ``Recipe`` describes.
package struct RecipeSender: Sender {
    private enum Proof: Sendable {
        case signature(SignatureProof, HMACScheme)
        case token(header: String, value: String)
    }

    /// The system's name for people.
    private let title: String
    private let proof: Proof
    private let requirements: [Requirement]
    private let body: Recipe.BodyForm
    private let accepts: AcceptedStatuses
    private let samples: RecipeSamples
    private let sample: MappedSample
    private let settings: EndpointSettings
    package let publishedRetrySchedule: [Duration]

    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    package init(_ recipe: Recipe, settings: EndpointSettings) throws(SettingsError) {
        let settings = try recipe.completed(settings)
        try self.init(
            recipe.proof, title: recipe.title, requirements: recipe.requirements, body: recipe.body,
            fields: recipe.fields, accepts: recipe.accepts, samples: recipe.samples,
            retries: recipe.retries, settings: settings)
    }

    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    init(
        _ proof: Recipe.Proof, title: String = "the sender", requirements: [Requirement] = [],
        body: Recipe.BodyForm = .json,
        fields: FieldMapping, accepts: AcceptedStatuses = .success,
        samples: RecipeSamples = RecipeSamples(), retries: [Int] = [], settings: EndpointSettings
    ) throws(SettingsError) {
        try fields.check()
        let secret = try settings.senderSecret()
        switch proof {
        case .signature(let scheme):
            self.proof = .signature(
                try SignatureProof(scheme, secrets: [secret], settings: settings), scheme)
        case .token(let scheme):
            let token = String(decoding: secret.trimmingWhiteSpace, as: UTF8.self)
            self.proof = .token(header: scheme.header, value: scheme.prefix + token)
        }
        self.title = title
        self.requirements = requirements
        self.body = body
        self.accepts = accepts
        self.samples = samples
        self.settings = settings
        sample = MappedSample(mapping: fields, body: body, samples: samples, settings: settings)
        publishedRetrySchedule = retries.map { .seconds($0) }
    }

    package func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundRequest {
        var content = try sample.content(event)
        var headers = [Header("content-type", body.contentType)]
        for (name, value) in samples.headers.sorted(by: { utf8Precedes($0.key, $1.key) }) {
            headers.append(Header(name, value))
        }
        headers += content.headers.map { Header($0.name, $0.value) }
        meetRequirements(&content.tree, &headers)
        switch proof {
        case .token(let header, let value):
            headers.append(Header(header, value))
            return OutboundRequest(
                target: path, headers: headers, body: content.tree.bytes(body))
        case .signature(let proof, let scheme):
            return try sign(event, content.tree, headers, path, proof, scheme)
        }
    }

    private func sign(
        _ event: SampleEvent, _ tree: SampleTree, _ headers: [Header], _ path: String,
        _ proof: SignatureProof, _ scheme: HMACScheme
    ) throws(SenderError) -> OutboundRequest {
        var tree = tree
        var headers = headers
        var parameters: [(name: String, value: String)] = []
        let time = (scheme.content.timestampForm ?? .seconds).text(event.occurred.wholeSeconds)
        let id = SampleEvent.identifier(
            "webhook", event.actionID, event.type.rawValue, String(event.number))
        for (place, value) in [(scheme.content.timestamp, time), (scheme.content.id, id)] {
            switch place {
            case nil: break
            case .header(let name): headers.append(Header(name, value))
            case .parameter(let name): parameters.append((name, value))
            }
        }
        let bytes = tree.bytes(body)
        let delivery = OutboundRequest(target: path, headers: headers, body: bytes)
            .delivery(received: event.occurred)
        var value: String
        do throws(Refusal) {
            let root = proof.readsBody ? try body.document(bytes).root : nil
            value = try proof.signature(delivery, id: id, timestamp: time, body: root)
        } catch {
            throw .signingFailed
        }
        if case .parameters(let separator, let name) = scheme.layout {
            value = (parameters + [(name, value)]).map { "\($0.name)=\($0.value)" }
                .joined(separator: separator.rawValue)
        }
        switch scheme.place {
        case .header(let name): headers.append(Header(name, value))
        case .pointer(let pointer): PointerPath(pointer).map { tree.set($0, .text(value)) }
        }
        return OutboundRequest(target: path, headers: headers, body: tree.bytes(body))
    }

    package var marksTests: Bool { sample.marksTests }

    package func judge(status: Int, contentType: String?, body: [UInt8]) -> AnswerVerdict {
        switch accepts {
        case .success:
            (200..<300).contains(status) ? .accepted : .sendsAgain("status \(status) is not 2xx")
        case .only(let statuses):
            statuses.contains(status)
                ? .accepted
                : .sendsAgain(
                    "status \(status) is not "
                        + statuses.map(String.init).joined(separator: " or "))
        }
    }

    package func absence(of type: EventType) -> String? {
        sample.hasWord(for: type) ? nil : "\(title) has no word for \(type.rawValue)"
    }

    /// Puts in what the endpoint asks for besides the proof.
    private func meetRequirements(_ tree: inout SampleTree, _ headers: inout [Header]) {
        for requirement in requirements {
            let text: String
            switch requirement.equals {
            case .text(let constant): text = constant
            case .setting(let key):
                guard case .text(let value) = settings[key] else { continue }
                text = value
            default: continue
            }
            switch requirement.subject {
            case .header(let name): headers.append(Header(name.lowercased(), text))
            case .pointer(let pointer), .root(let pointer):
                guard let path = PointerPath(pointer) else { continue }
                let isBool = text == "true" || text == "false"
                tree.set(path, isBool ? .bool(text == "true") : .text(text))
            default: continue
            }
        }
    }
}

extension Recipe.BodyForm {
    fileprivate var contentType: String {
        switch self {
        case .json: "application/json"
        case .form: "application/x-www-form-urlencoded"
        }
    }
}

extension TimeForm {
    /// A time as a sender writes it.
    fileprivate func text(_ time: Timestamp) -> String {
        switch self {
        case .seconds: String(time.microseconds / 1_000_000)
        case .milliseconds: String(time.microseconds / 1000)
        case .iso8601: time.rfc3339
        }
    }
}
