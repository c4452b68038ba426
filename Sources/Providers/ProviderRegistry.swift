/// The systems that ipnd knows: one line each.
package enum ProviderRegistry {
    /// By the name in the configuration.
    package static let all: [String: ProviderDescriptor] = Dictionary(
        uniqueKeysWithValues: list.map { ($0.name, $0) })

    /// In the order in which people are told of them.
    package static let list: [ProviderDescriptor] = [
        .antom, .citconUPI, .citconPay, .ecommpay, .openPaymentPlatform, .standardWebhooks, .hmac,
    ]
}
