/// The providers written in Swift, one line each. Those of a recipe are in `ProviderCatalog`.
public enum ProviderRegistry {
    /// The providers in the order of lists and of the sandbox.
    package static let list: [ProviderDescriptor] = [
        .antom, .citconUPI, .citconPay, .ecommpay, .openPaymentPlatform, .paypal, .adyen,
        .wechatPay, .alipay, .midtrans, .mollie, .braintree, .standardWebhooks,
        .hmac,
    ]

    /// The providers by their name in the configuration.
    package static let all: [String: ProviderDescriptor] = Dictionary(
        uniqueKeysWithValues: list.map { ($0.name, $0) })
}
