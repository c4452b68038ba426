/// The systems that ipnd knows in Swift: one line each. Those of a recipe are in ``recipes``.
package enum ProviderRegistry {
    /// In the order of lists and of the sandbox.
    package static let list: [ProviderDescriptor] = [
        .antom, .citconUPI, .citconPay, .ecommpay, .openPaymentPlatform, .paypal, .adyen,
        .standardWebhooks, .hmac,
    ]

    /// By the name in the configuration.
    package static let all: [String: ProviderDescriptor] = Dictionary(
        uniqueKeysWithValues: list.map { ($0.name, $0) })
}
