extension ProviderFixture {
    /// The fixture of every provider: one line each.
    package static let all: [ProviderFixture] = [
        .antom,
        .citconUPI,
        .citconPay,
        .ecommpay,
        .openPaymentPlatform,
        .paypal,
        .adyen,
        .standardWebhooks,
        .hmac,
    ]
}
