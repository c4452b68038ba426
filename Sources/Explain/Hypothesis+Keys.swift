import Cryptography
import JSON
import Providers

extension Hypothesis {
    static let time = [
        Hypothesis(
            "time", "its time is outside the endpoint's tolerance; the signature is right",
            remedy: "Set this machine's clock by NTP. An old capture looks like this too, and so "
                + "does a notification that waited in between; toleranceSeconds widens the window."
        ) { suspect in
            guard suspect.system.keys().contains("toleranceSeconds") else { return [] }
            // `Explainer` verifies every variation without the window; this one differs by nothing
            // else.
            return [Variation("any time is allowed", suspect.delivery, suspect.settings)]
        }
    ]

    static let keys: [Hypothesis] =
        [
            Hypothesis(
                "given_key", "it was signed with the key given by --key",
                remedy: "Put this key into the endpoint's configuration."
            ) { suspect in
                suspect.variations(of: suspect.candidates.filter { $0.name.hasPrefix("--key") })
            },
            Hypothesis(
                "sandbox_key",
                "it was signed with a sandbox key, by `ipnd send` or a sandbox",
                remedy: "Nothing is wrong with the keys if this was a trial against live keys. Try "
                    + "against the folder of `ipnd init`, or configure the sandbox's key on a test "
                    + "system only."
            ) { suspect in
                suspect.variations(of: suspect.candidates.filter(\.isSandbox))
            },
            Hypothesis(
                "other_endpoint_key",
                "it was signed with the key of another endpoint of this configuration",
                remedy:
                    "The keys of two endpoints are exchanged, or the provider was given the wrong "
                    + "URL."
            ) { suspect in
                suspect.others.filter { $0.system.name == suspect.system.name }.map { other in
                    suspect.withSettings("endpoint \(other.name)") { settings in
                        for row in suspect.system.rows(.endpoint) where row.isCredential {
                            settings[row.key] = other.settings[row.key]
                        }
                    }
                }
            },
            Hypothesis(
                "other_key",
                "it was signed with another key found beside the configuration: the configured "
                    + "one has another version, or is your own instead of the provider's",
                remedy:
                    "Configure this key as well (`keys` and `secrets` are lists), with the version "
                    + "that the provider shows."
            ) { suspect in
                suspect.variations(
                    of: suspect.candidates.filter { !$0.isSandbox && !$0.name.hasPrefix("--key") })
            },
        ] + accounts + [
            Hypothesis(
                "other_endpoint", "it was meant for another endpoint of this configuration",
                remedy:
                    "The provider was given the wrong URL, or a proxy sends it to the wrong path."
            ) { suspect in
                suspect.others.map { other in
                    var delivery = suspect.delivery
                    delivery.path = Array(other.publicPath.utf8)[...]
                    return Variation(
                        "endpoint \(other.name), \(other.system.name)", delivery, other.settings,
                        system: other.system)
                }
            }
        ]
}

extension Hypothesis {
    /// One for each setting of any shipped system that names the account.
    private static let accounts: [Hypothesis] = ProviderCatalog.shipped.list.flatMap { system in
        system.settings.compactMap { row in row.account.map { Hypothesis(row.key, $0) } }
    }

    private init(_ key: String, _ account: AccountHint) {
        self.init(
            account.code, account.sentence,
            remedy: account.remedy
                ?? "Correct `\(key)`: the notification names another one than the endpoint."
        ) { suspect in
            guard let row = suspect.system.settings.first(where: { $0.key == key }),
                row.account?.code == account.code, let own = suspect.settings[key]
            else { return [] }
            if !account.candidates.isEmpty {
                return account.candidates.filter { $0 != own }.map { candidate in
                    suspect.withSettings(account.code) { $0[key] = candidate }
                }
            }
            guard account.header != nil || account.pointer != nil else {
                return [suspect.withSettings("any \(key)") { $0[key] = nil }]
            }
            guard let sent = suspect.account(account) else {
                // Where the body names it in another place, any account is tried.
                guard account.pointer != nil else { return [] }
                return [suspect.withSettings("any \(key)") { $0[key] = nil }]
            }
            guard own != .text(sent) else { return [] }
            let shown = if case .text(let text) = own { text } else { "another" }
            return [
                suspect.withSettings(
                    "\(key): the notification names \(sent), the endpoint has \(shown)"
                ) { $0[key] = .text(sent) }
            ]
        }
    }
}

extension Suspect {
    /// The account that the notification names.
    fileprivate func account(_ hint: AccountHint) -> String? {
        if let header = hint.header { return self.header(header) }
        guard let pointer = hint.pointer else { return nil }
        let value = (try? JSONDocument(parsing: delivery.body))?.root.at(pointer: pointer)
        return value?.string ?? value?.lexeme
    }

    /// Verified with each of these in place of the configured keys or secrets.
    func variations(of candidates: [Candidate]) -> [Variation] {
        candidates.map { candidate in
            withSettings(candidate.name) { settings in
                if system.credential == .rsaKeyPair {
                    let text = String(decoding: candidate.bytes, as: UTF8.self)
                    let first = settings.keys.first
                    settings.keys = [
                        VersionedKey(
                            version: first?.version ?? 1, serial: first?.serial ?? "", text: text)
                    ]
                } else {
                    settings.secrets = [candidate.bytes]
                }
            }
        }
    }
}
