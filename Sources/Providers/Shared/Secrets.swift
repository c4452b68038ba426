import Cryptography

/// An endpoint's shared secrets, in the order of the configuration: the new one and the old one
/// during a rotation. `Secret` is the secret itself or what was made of it to verify with.
struct Secrets<Secret: Sendable>: Sendable {
    let values: [Secret]

    /// The place, counted from 1, of the first secret for which `isRight` holds. All are tried even
    /// after one was found: the time taken says nothing about which.
    func ordinal(where isRight: (Secret) -> Bool) -> String? {
        var found: Int?
        for (index, secret) in values.enumerated() where isRight(secret) {
            found = found ?? index + 1
        }
        return found.map(String.init)
    }
}

extension Refusal {
    /// No secret of the endpoint gives this signature.
    static let signatureMismatch = Refusal.unauthenticated(
        "signature_mismatch", "no secret of this endpoint gives this signature")
}
