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
        .recipe(
            "stripe", teller: StripeTeller.self, withoutReference: ["refund", "dispute"]),
        .recipe(
            "square", teller: SquareTeller.self, withoutReference: ["refund", "dispute"],
            impossibleScenarios: ["expired"],
            addOptions: ["--set", "notificationURL=https://pay.example/ipn/square"]),
        .recipe("razorpay", teller: RazorpayTeller.self, signsIdentity: false),
        .recipe("checkout", teller: CheckoutTeller.self),
        .recipe("airwallex", withoutReference: ["refund"], impossibleScenarios: ["expired"]),
        .recipe(
            "paystack",
            impossibleScenarios: ["failed", "failed-then-paid", "expired", "unpaid"]),
    ]
}

extension ProviderFixture {
    /// Xendit signs nothing, which the suites over ``all`` expect of every provider. GoCardless'
    /// events name no sums, so it has no fixture.
    package static let xendit = recipe(
        "xendit", teller: XenditTeller.self, withoutReference: ["refund"])
}
