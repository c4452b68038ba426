import Platform
import Providers

/// The provider's side of the keys, for `ipnd send`. The receiver never reads it.
package enum SandboxKeys {
    /// Where the private key of an endpoint's provider lies below the configuration's folder.
    package static func privateKeyPath(endpoint: String) -> String { "sandbox/\(endpoint).pem" }

    /// The same of a sender that signs with Ed25519 (`whsk_`).
    package static func signingKeyPath(endpoint: String) -> String { "sandbox/\(endpoint).key" }

    /// What a sender needs to play the provider of `endpoint`: its private key where it signs with
    /// one, else the shared secret that the endpoint itself has.
    ///
    /// - Throws: ``SettingsError`` when the private key cannot be read.
    package static func senderSettings(
        for endpoint: EndpointConfiguration, folder: String
    ) throws(SettingsError) -> SenderSettings {
        let settings = endpoint.settings
        var sender = SenderSettings(
            clientID: settings.clientID, keyVersion: settings.keys.first?.version ?? 1,
            secret: settings.secrets.first ?? [], projectID: settings.projectID,
            mode: settings.mode, hmac: settings.hmac, fields: settings.fields)
        switch ProviderRegistry.all[endpoint.system]?.credential {
        case .rsaKeyPair:
            let bytes = try privateKey(folder, privateKeyPath(endpoint: endpoint.name))
            sender.privateKey = String(decoding: bytes, as: UTF8.self)
        case .standardWebhooksSecret:
            // A public key verifies and cannot sign.
            guard sender.secret.starts(with: StandardWebhooksKey.publicPrefix.utf8) else { break }
            sender.secret = try privateKey(folder, signingKeyPath(endpoint: endpoint.name))
        default: break
        }
        return sender
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
