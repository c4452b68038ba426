import Platform
import Providers
import ServerConfiguration

/// Checks one answer of `ipnd add` when it is given, by the provider's own rules. The other
/// settings are those of a sandbox meanwhile.
struct AnswerCheck {
    private let provider: ProviderDescriptor
    private let file: String

    init(_ provider: ProviderDescriptor, file: String) {
        self.provider = provider
        self.file = file
    }

    /// The problem with a value; nil if there is none.
    func problem(_ value: String, _ row: SettingRow) -> String? {
        switch row.kind {
        case .choice(let words):
            guard !words.contains(value), row.synonyms[value] == nil else { return nil }
            return KnownNames.complaint("value", value, among: words)
        case .integer(let range):
            guard let number = Int(value), range.contains(number) else {
                return "write a number from \(range.lowerBound) to \(range.upperBound)"
            }
            return nil
        case .networks:
            let wrong = value.split(separator: ",").first { IPNetwork(String($0)) == nil }
            return wrong.map { "“\($0)” is not a network, such as 192.0.2.0/24" }
        case .secret, .secrets, .certificates:
            return Self.problem(withFile: value, of: file)
        case .text:
            return problem {
                $0[row.key] = .text(value)
            } key: {
                $0 == row.key
            }
        default: return nil
        }
    }

    /// The problem with a key or secret.
    func problem(withCredential bytes: [UInt8]) -> String? {
        var trimmed = bytes
        while trimmed.last == 0x0A || trimmed.last == 0x0D { trimmed.removeLast() }
        guard !trimmed.isEmpty else { return "it is empty" }
        if provider.credential == .rsaKeyPair {
            let text = String(decoding: trimmed, as: UTF8.self)
            return problem {
                $0[provider.keysKey] = .keys([VersionedKey(version: 1, text: text)])
            } key: {
                $0.hasSuffix("publicKey")
            }
        }
        return problem {
            $0.secrets = [trimmed]
        } key: {
            $0.hasPrefix(provider.secretsKey)
        }
    }

    /// The form of the credential, for the question.
    var credentialForm: String {
        switch provider.credential {
        case .rsaKeyPair: "PEM, or Base64 on one line"
        case .secret(.text): "as the dashboard shows it"
        case .secret(.hex(let bytes)): "\(2 * bytes) hex digits"
        case .secret(.base64(let bytes)): "Base64 of \(bytes) bytes"
        case .secret(.characters(let count)): "\(count) characters"
        case .secret(.standardWebhooks): "begins with whsec_"
        case .secret(.keyPair): "publicKey|privateKey"
        case .certificate: ""
        }
    }

    private func problem(
        _ change: (inout EndpointSettings) -> Void, key: (String) -> Bool
    ) -> String? {
        var settings = EndpointSettings(name: "answer")
        for row in provider.rows(.endpoint) {
            guard let sandbox = row.sandbox, let value = try? sandbox.make() else { continue }
            settings[row.key] = value
        }
        change(&settings)
        do throws(SettingsError) {
            _ = try provider.make(settings)
            return nil
        } catch {
            guard key(error.key) else { return nil }
            return error.message + (error.remedy.map { "; \($0)" } ?? "")
        }
    }

    private static func problem(withFile path: String, of file: String) -> String? {
        let folder = Configuration.absoluteFolder(of: file)
        let whole = path.hasPrefix("/") ? path : "\(folder)/\(path)"
        do throws(FileContents.Problem) {
            _ = try FileContents(path: whole, bytesMax: 1 << 20)
            return nil
        } catch {
            return "\(whole) \(error.clause)"
        }
    }
}
