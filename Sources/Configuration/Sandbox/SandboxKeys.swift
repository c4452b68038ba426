import Providers

/// The provider's side of the keys, for `ipnd send`. The receiver never reads it.
package enum SandboxKeys {
    /// Where the private key of an endpoint's provider lies below the configuration's folder.
    package static func privateKeyPath(endpoint: String) -> String { "sandbox/\(endpoint).pem" }

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
        guard ProviderRegistry.all[endpoint.system]?.credential == .rsaKeyPair else {
            return sender
        }
        let path = "\(folder)/\(privateKeyPath(endpoint: endpoint.name))"
        do throws(FileContents.Problem) {
            let contents = try FileContents(path: path, bytesMax: 65_536)
            sender.privateKey = String(decoding: contents.bytes, as: UTF8.self)
            return sender
        } catch {
            throw SettingsError(
                key: "sandbox",
                message: "\(path) \(error.clause). It holds the provider's private key, which only "
                    + "a folder made by `ipnd init` has.")
        }
    }
}
