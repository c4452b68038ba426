import Cryptography
import Payments
import Providers
import ServerConfiguration
import Testing

@testable import Explain
@testable import Simulator

/// A mistake, and the hypothesis that must find it.
struct ExplainCase: Sendable, CustomTestStringConvertible {
    /// A genuine request and its endpoint, to be changed by a case.
    struct Scene: Sendable {
        var request: CapturedRequest
        var settings: EndpointSettings
        var publicPath: String
        var others: [EndpointConfiguration] = []
        var candidates: [Suspect.Candidate] = []
        var givenPaths: [String] = []
    }

    let code: String
    let system: String
    let note: String
    let spoil: @Sendable (inout Scene) throws -> Void

    init(
        _ code: String, _ system: String, _ note: String,
        _ spoil: @escaping @Sendable (inout Scene) throws -> Void
    ) {
        self.code = code
        self.system = system
        self.note = note
        self.spoil = spoil
    }

    var testDescription: String { "\(code): \(system), \(note)" }

    /// A genuine request of the sandbox with the mistake.
    func suspect() throws -> Suspect {
        let trial = try Sandbox.trial(system)
        let plan = try SimulationPlan(
            .single(.paid), of: [.sample("ORDER/é+7")], by: trial, path: trial.endpoint.publicPath)
        let outbound = try #require(plan.stages.first?.first).outbound
        var scene = Scene(
            request: CapturedRequest(
                method: outbound.method, target: Array(outbound.target.utf8)[...],
                headers: outbound.headers.map { .init(name: $0.name, value: $0.value) },
                body: outbound.body),
            settings: trial.endpoint.settings, publicPath: trial.endpoint.publicPath)
        try spoil(&scene)
        return Suspect(
            request: scene.request, system: trial.descriptor, settings: scene.settings,
            publicPath: scene.publicPath, received: Sandbox.time, others: scene.others,
            candidates: scene.candidates,
            givenPaths: scene.givenPaths)
    }
}

extension ExplainCase.Scene {
    var body: String {
        get { String(decoding: request.body, as: UTF8.self) }
        set { request.body = Array(newValue.utf8) }
    }

    func header(_ name: String) throws -> String {
        let found = request.headers.first {
            String(decoding: $0.name, as: UTF8.self).lowercased() == name
        }
        return String(decoding: try #require(found).value, as: UTF8.self)
    }

    mutating func setHeader(_ name: String, _ value: String, as newName: String? = nil) {
        request.headers.removeAll {
            String(decoding: $0.name, as: UTF8.self).lowercased() == name
        }
        addHeader(newName ?? name, value)
    }

    mutating func addHeader(_ name: String, _ value: String) {
        request.headers.append(
            .init(name: Array(name.utf8)[...], value: Array(value.utf8)[...]))
    }

    /// Signs the body with a key that the endpoint does not have: the provider's key, at an
    /// endpoint with another one configured.
    mutating func configureStrangeKey() throws -> String {
        let genuine = try #require(settings.keys.first).text
        settings.keys = [
            VersionedKey(version: 1, text: try RSAPrivateKey.generate().publicKeyPEM)
        ]
        return genuine
    }
}
