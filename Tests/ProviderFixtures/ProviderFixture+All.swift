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
        .wechatPay,
        .alipay,
        .mollie,
        .braintree,
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
        .recipe(
            "airwallex", teller: AirwallexTeller.self, withoutReference: ["refund"],
            impossibleScenarios: ["expired"]),
        .recipe(
            "paddle", teller: PaddleTeller.self,
            withoutReference: ["refund", "dispute", "reversal"],
            impossibleScenarios: ["expired", "authorized-captured"]),
        .recipe(
            "paystack", teller: PaystackTeller.self,
            impossibleScenarios: ["failed", "failed-then-paid", "expired", "unpaid"]),
    ]
}

extension ProviderFixture {
    /// Xendit signs nothing, which the suites over ``all`` expect of every provider.
    package static let xendit = recipe(
        "xendit", teller: XenditTeller.self, withoutReference: ["refund"])

    /// GoCardless' events name no sums, which the suites over ``all`` expect of every provider. Its
    /// lives are those of ``GoCardlessLife``.
    package static let gocardless = recipe("gocardless", withoutReference: ["refund", "dispute"])

    /// The shipped providers that are not in ``all``; `UnlikeProviderTests` checks them.
    package static let unlike: [ProviderFixture] = [.xendit, .gocardless, .midtrans]
}
