import Providers

/// One of `Providers.VerificationLimits` as the configuration sees it; `HTTP.LimitName` is its
/// sister.
struct VerificationLimitName {
    let name: String
    let path: any WritableKeyPath<VerificationLimits, Int> & Sendable
    let range: ClosedRange<Int>

    /// Below four bytes a plain notification could not be parsed, put together and hashed.
    static let all: [VerificationLimitName] = [
        VerificationLimitName(
            name: "verificationBytesPerByteMax", path: \.verificationBytesPerByteMax,
            range: 4...10_000),
        VerificationLimitName(
            name: "verificationBytesFree", path: \.verificationBytesFree, range: 4096...1 << 30),
    ]
}
