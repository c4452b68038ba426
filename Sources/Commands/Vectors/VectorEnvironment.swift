import JSON
import Providers

/// The certificates and memory that a provider looks up outside the request, from a file of
/// vectors.
struct VectorEnvironment {
    /// Certificates in PEM, by the URL from which the provider names them.
    var certificates: [String: String] = [:]

    /// Certificates in PEM that are trusted in place of the system's, and those between them and
    /// the provider's.
    var roots: [String] = []
    var intermediates: [String] = []

    init(_ value: JSONValue) { add(value) }

    /// The same with what one entry gives instead.
    func with(_ entry: VectorEntry) -> VectorEnvironment {
        var environment = self
        environment.add(entry.value)
        return environment
    }

    private mutating func add(_ value: JSONValue) {
        for (url, pem) in value["certificates"].map({ Array($0.members) }) ?? [] {
            certificates[url] = pem.string
        }
        guard let trust = value["trust"] else { return }
        roots = trust.words("roots")
        intermediates = trust.words("intermediates")
    }

    /// The rules of an endpoint that finds these certificates and no others.
    ///
    /// - Parameter transmissions: What was accepted before.
    /// - Throws: ``SettingsError``.
    func provider(
        _ descriptor: ProviderDescriptor, _ settings: EndpointSettings,
        after transmissions: TransmissionMemory
    ) throws(SettingsError) -> any Provider {
        var settings = settings
        settings.memory = ProviderMemory(
            certificates: CertificateCache(certificates), transmissions: transmissions)
        if let row = descriptor.settings.first(where: { $0.kind == .certificates }),
            !roots.isEmpty
        {
            settings[row.key] = .text((intermediates + roots).joined(separator: "\n"))
        }
        return try descriptor.make(settings)
    }
}
