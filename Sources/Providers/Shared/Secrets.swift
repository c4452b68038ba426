import Cryptography

/// An endpoint's shared secrets, in the order of the configuration: during a rotation the new one
/// and the old one. `Secret` is the secret itself or a key derived from it.
struct Secrets<Secret: Sendable>: Sendable {
    let values: [Secret]

    /// Returns the position, counted from 1, of the first secret for which `isRight` holds. All
    /// secrets are tried, so that the time does not reveal which one matched.
    func ordinal(where isRight: (Secret) -> Bool) -> String? {
        var found: Int?
        for (index, secret) in values.enumerated() where isRight(secret) {
            found = found ?? index + 1
        }
        return found.map(String.init)
    }
}

extension Refusal {
    /// The refusal for a signature that no secret of the endpoint gives.
    static let signatureMismatch = Refusal.unauthenticated(
        "signature_mismatch", "no secret of this endpoint gives this signature")
}
