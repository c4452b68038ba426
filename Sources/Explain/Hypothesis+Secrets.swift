import Bytes
import Providers

extension Hypothesis {
    static let secrets = [
        Hypothesis(
            "secret_white_space", "the secret has extra or missing characters at its ends",
            remedy: "Write the secret again exactly as the provider shows it: `printf %s SECRET > "
                + "file`, without quotes, and look for a trailing newline or space."
        ) { suspect in
            suspect.withEachSecret(SecretForm.ends)
        },
        Hypothesis(
            "secret_encoding", "the secret is configured in another form",
            remedy: "Configure the secret in the form that verifies."
        ) { suspect in
            suspect.withEachSecret(SecretForm.encodings)
        },
    ]

    /// Those that systems know of.
    static let mistakes: [Hypothesis] = ProviderRegistry.list.flatMap { system in
        system.mistakes.map { mistake in
            Hypothesis(mistake.code, mistake.sentence, remedy: mistake.remedy) { suspect in
                guard suspect.system.name == system.name else { return [] }
                return [
                    Variation(
                        mistake.sentence, suspect.delivery, suspect.settings,
                        system: suspect.system.taking(mistake))
                ]
            }
        }
    }
}

/// Common mistakes in the form of a secret.
enum SecretForm {
    typealias Form = (detail: String, change: @Sendable ([UInt8]) -> [UInt8]?)

    static let ends: [Form] = [
        ("with a trailing newline", { $0 + [0x0A] }),
        ("with a trailing CR LF", { $0 + [0x0D, 0x0A] }),
        ("with a trailing space", { $0 + [0x20] }),
        ("without white space around it", { Array($0.trimming { $0 <= 0x20 }) }),
        (
            "without the quotes around it",
            { Array($0.trimming { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }) }
        ),
        (
            "without the byte order mark",
            { $0.starts(with: [0xEF, 0xBB, 0xBF]) ? Array($0.dropFirst(3)) : nil }
        ),
    ]

    static let encodings: [Form] = [
        ("decoded from hex", { Hex.decode($0[...]) }),
        ("decoded from Base64", { Base64.decode(strict: $0[...]) }),
        ("percent-decoded", { PercentEncoding.decode($0[...]) }),
        ("in hex", { Array(Hex.encode($0).utf8) }),
        ("in Base64", { Array(Base64.encode($0).utf8) }),
        ("in lower case", { Array(String(decoding: $0, as: UTF8.self).lowercased().utf8) }),
        ("in upper case", { Array(String(decoding: $0, as: UTF8.self).uppercased().utf8) }),
        ("with whsec_ before it", { Array("whsec_".utf8) + $0 }),
        ("Base64 with whsec_ before it", { Array("whsec_\(Base64.encode($0))".utf8) }),
        (
            "without whsec_ before it",
            { $0.starts(with: "whsec_".utf8) ? Array($0.dropFirst(6)) : nil }
        ),
    ]
}

extension Suspect {
    /// Each of the endpoint's secrets in each form that changes it.
    func withEachSecret(_ forms: [SecretForm.Form]) -> [Variation] {
        settings.secrets.enumerated().flatMap { index, secret in
            forms.compactMap { form in
                guard let other = form.change(secret), other != secret, !other.isEmpty else {
                    return nil
                }
                let detail = "\(system.secretsKey)[\(index)] \(form.detail)"
                return withSettings(detail) { $0.secrets = [other] }
            }
        }
    }
}
