import Bytes
import Cryptography
import JSON
import Payments

@testable import Providers

extension ProviderFixture {
    /// The fixture of a shipped recipe, from what the recipe says and from its vectors,
    /// `Vectors/NAME.json`.
    static func recipe(
        _ name: String, teller: (any Teller.Type)? = nil, withoutReference: Set<String> = [],
        impossibleScenarios: Set<String> = [], addOptions: [String] = [],
        signsIdentity: Bool = true
    ) -> ProviderFixture {
        let recipe = Recipe.shipped(name)
        let descriptor = recipe.descriptor
        var fixture = ProviderFixture(
            descriptor, endpoint(descriptor, "first"), endpoint(descriptor, "second"))
        fixture.teller = teller
        fixture.kindsWithoutReference = withoutReference
        fixture.impossibleScenarios = impossibleScenarios
        fixture.addOptions = addOptions
        fixture.truthBlocks = 2
        fixture.signsIdentity = signsIdentity
        fixture.marked =
            recipe.marks.headers.map { MarkedRequest(headers: $0, name) }
            + recipe.marks.fields.map { names in
                let members = names.map { ($0, Body.number(1)) }
                return MarkedRequest(body: Body.object(members).description, name)
            }
        fixture.answers = [JudgedAnswer(500, "", isAccepted: false)]
        fixture.isPublishedSchedule = { $0 == recipe.retries.map { .seconds($0) } }
        fixture.vectors = .file(name) { try $0.recipeVectors(descriptor) }
        fixture.readings = { RecipeReading(name).read($0) }
        return fixture
    }

    /// The settings of the sandbox, with a secret of this seed.
    private static func endpoint(
        _ descriptor: ProviderDescriptor, _ seed: String
    ) -> EndpointSettings {
        var settings = EndpointSettings(name: descriptor.name)
        for row in descriptor.rows(.endpoint) {
            settings[row.key] = row.sandbox.flatMap { try? $0.make() }
        }
        if settings["mode"] != nil { settings["mode"] = .text("live") }
        let secret =
            switch descriptor.credential {
            case .secret(.hex(let count)):
                Hex.encode(Array(SHA256.hash(Array(seed.utf8)).prefix(count)))
            case .secret(.base64): Base64.encode(SHA256.hash(Array(seed.utf8)))
            default: "\(seed) secret of \(descriptor.name)"
            }
        settings[descriptor.secretsKey] = .secrets([Array(secret.utf8)])
        for row in descriptor.rows(.inquiry) where row.kind == .secret {
            settings[row.key, .inquiry] = .text("\(row.key)_of_\(seed)")
        }
        return settings
    }
}

extension JSONValue {
    /// The vectors of a file of the form that `ipnd vectors` runs.
    fileprivate func recipeVectors(_ descriptor: ProviderDescriptor) throws -> [SignedVector] {
        try ["vectors", "traps", "negatives"].flatMap { list in
            try (self[list].map { Array($0.elements) } ?? []).map { vector in
                let request = try vector.required("request")
                return SignedVector(
                    name: try vector.text("id"),
                    settings: try vector.required("config").settings(descriptor),
                    delivery: SignedRequest(
                        path: Array("/ipn".utf8)[...],
                        headers: try request.required("headers").elements.map { pair in
                            let parts = pair.elements.map { $0.string ?? "" }
                            return Header(parts[0], parts[1])
                        },
                        body: Array(try request.text("body").utf8),
                        received: Timestamp(
                            microseconds: (vector["now"]?.int64 ?? 1_790_000_000) * 1_000_000)),
                    isGenuine: list == "vectors"
                        || list == "traps" && vector["expected_refusal"] == nil)
            }
        }
    }

    private func settings(_ descriptor: ProviderDescriptor) throws -> EndpointSettings {
        var settings = EndpointSettings(name: descriptor.name)
        for (key, value) in members {
            guard let row = descriptor.rows(.endpoint).first(where: { $0.key == key }) else {
                throw VectorError(missing: key)
            }
            let texts = value.elements.compactMap(\.string)
            settings[key] =
                switch row.kind {
                case .secrets: .secrets(texts.map { Array($0.utf8) })
                case .texts: .texts(texts)
                case .integer: value.int64.map { .integer(Int($0)) }
                default: value.string.map { .text($0) }
                }
        }
        return settings
    }
}
