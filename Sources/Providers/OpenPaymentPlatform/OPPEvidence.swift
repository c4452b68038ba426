/// The decrypted notification: GCM's tag proves all of it and nothing else.
package struct OPPEvidence: Sendable, Equatable {
    let plaintext: [UInt8]
}
