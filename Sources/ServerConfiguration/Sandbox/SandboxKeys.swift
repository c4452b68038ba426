import Platform
import Providers

/// The provider's own keys, for `ipnd send`. The receiver never reads them.
package enum SandboxKeys {
    /// The path of the private key of an endpoint's provider, below the configuration's folder.
    package static func privateKeyPath(endpoint: String) -> String { "sandbox/\(endpoint).pem" }

    /// The path of the private key of a sender that signs with Ed25519 (`whsk_`).
    package static func signingKeyPath(endpoint: String) -> String { "sandbox/\(endpoint).key" }

    /// The settings with which a sender acts as the provider of `endpoint`: the provider's private
    /// key where it signs with one, otherwise the endpoint's shared secret.
    ///
    /// - Throws: ``SettingsError`` when the private key cannot be read.
    package static func senderSettings(
        for endpoint: EndpointConfiguration, folder: String
    ) throws(SettingsError) -> EndpointSettings {
        var settings = endpoint.settings
        for row in endpoint.descriptor.rows(.sender) {
            guard case .senderKey(let fileExtension) = row.kind, row.isNeeded(settings) else {
                continue
            }
            let bytes = try privateKey(folder, "sandbox/\(endpoint.name).\(fileExtension)")
            settings[row.key, .sender] = .text(String(decoding: bytes, as: UTF8.self))
        }
        return settings
    }

    private static func privateKey(
        _ folder: String, _ name: String
    ) throws(SettingsError) -> [UInt8] {
        let path = "\(folder)/\(name)"
        do throws(FileContents.Problem) {
            return try FileContents(path: path, bytesMax: 65_536).bytes
        } catch {
            throw SettingsError(
                key: "sandbox",
                message: "\(path) \(error.clause). It holds the provider's private key, which only "
                    + "a folder made by `ipnd init` has.")
        }
    }
}
