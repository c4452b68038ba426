import PaymentNotifications

/// How each provider is made: the example in the comment of its settings, and the first code on its
/// page of the documentation, which `ProviderGuidesTests` takes from here. The name of a function
/// is the provider's without hyphens.
struct ProviderSamples: Sendable {
    /// A public key in PEM or bare Base64.
    let publicKey: String
    /// 64 hex digits.
    let hexKey = String(repeating: "0123456789abcdef", count: 4)
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    let client = Client()
    let apiV3Key = "0123456789abcdef0123456789abcdef"

    /// Stands for the HTTP client of a program.
    struct Client: Sendable {
        func text(of url: String) async throws -> String { url }
    }

    static let all: [String: @Sendable (ProviderSamples) throws -> any Provider] = [
        "adyen": { try $0.adyen() }, "airwallex": { try $0.airwallex() },
        "alipay": { try $0.alipay() }, "antom": { try $0.antom() },
        "braintree": { try $0.braintree() }, "checkout": { try $0.checkout() },
        "citcon-pay": { try $0.citconpay() }, "citcon-upi": { try $0.citconupi() },
        "ecommpay": { try $0.ecommpay() }, "gocardless": { try $0.gocardless() },
        "hmac": { try $0.hmac() }, "midtrans": { try $0.midtrans() },
        "mollie": { try $0.mollie() }, "opp": { try $0.opp() }, "paddle": { try $0.paddle() },
        "paypal": { try $0.paypal() }, "paystack": { try $0.paystack() },
        "razorpay": { try $0.razorpay() }, "square": { try $0.square() },
        "standard-webhooks": { try $0.standardwebhooks() }, "stripe": { try $0.stripe() },
        "wechatpay": { try $0.wechatpay() }, "xendit": { try $0.xendit() },
    ]

    func adyen() throws -> any Provider {
        try Adyen(settings: .init(hmacKeys: [hexKey], merchantAccount: "ShopECOM"))
    }

    func airwallex() throws -> any Provider {
        try RecipeProvider(.airwallex, settings: .init(secrets: [secret]))
    }

    func alipay() throws -> any Provider {
        try Alipay(
            settings: .init(
                appID: "2021000000000001", publicKeys: [publicKey], sellerID: "2088000000000001"))
    }

    func antom() throws -> any Provider {
        try Antom(
            settings: .init(
                clientID: "SANDBOX_5Y0000000000000", keys: [.init(version: 1, text: publicKey)]))
    }

    func braintree() throws -> any Provider {
        try Braintree(
            settings: .init(
                keys: [.init(publicKey: "9r8gkyqrtwjupd8i", privateKey: secret)],
                currency: Currency("EUR")))
    }

    func checkout() throws -> any Provider {
        try RecipeProvider(.checkout, settings: .init(secrets: [secret]))
    }

    func citconpay() throws -> any Provider {
        try CitconPay(settings: .init(secrets: [secret]))
    }

    func citconupi() throws -> any Provider {
        try CitconUPI(settings: .init(secrets: [secret]))
    }

    func ecommpay() throws -> any Provider {
        try Ecommpay(settings: .init(secrets: [secret], projectID: "115"))
    }

    func gocardless() throws -> any Provider {
        try RecipeProvider(.gocardless, settings: .init(secrets: [secret]))
    }

    func hmac() throws -> any Provider {
        try HMACWebhook(
            settings: .init(
                secrets: [secret], scheme: HMACScheme(header: "x-signature"),
                fields: FieldMapping(
                    identity: ["/id"], reference: "/order", transaction: "/payment",
                    status: "/status", amount: "/amount", currency: "/currency",
                    statuses: ["done": .paid, "declined": .failed])))
    }

    func midtrans() throws -> any Provider {
        try Midtrans(
            settings: .init(serverKeys: ["Mid-server-…"], merchantID: "G123456789"))
    }

    func mollie() throws -> any Provider {
        try Mollie(settings: .init(webhookSecrets: [secret]))
    }

    func opp() throws -> any Provider {
        try OpenPaymentPlatform(settings: .init(keys: [hexKey]))
    }

    func paddle() throws -> any Provider {
        try RecipeProvider(.paddle, settings: .init(secrets: [secret]))
    }

    func paypal() throws -> any Provider {
        try PayPal(
            settings: .init(
                webhookIDs: ["0AB12345CD678901E"],
                fetchCertificate: { url in try? await client.text(of: url) }))
    }

    func paystack() throws -> any Provider {
        try RecipeProvider(.paystack, settings: .init(secrets: [secret]))
    }

    func razorpay() throws -> any Provider {
        try RecipeProvider(.razorpay, settings: .init(secrets: [secret]))
    }

    func square() throws -> any Provider {
        try RecipeProvider(
            .square,
            settings: .init(
                secrets: [secret],
                others: ["notificationURL": "https://pay.example/ipn/square"]))
    }

    func standardwebhooks() throws -> any Provider {
        try StandardWebhooks(
            settings: .init(
                secrets: [secret],
                fields: FieldMapping(
                    reference: "/data/order", transaction: "/data/payment", status: "/type",
                    amount: "/data/amount", currency: "/data/currency",
                    statuses: ["payment.succeeded": .paid, "payment.failed": .failed])))
    }

    func stripe() throws -> any Provider {
        try RecipeProvider(.stripe, settings: .init(secrets: [secret]))
    }

    func wechatpay() throws -> any Provider {
        try WeChatPay(
            settings: .init(
                platformKeys: ["PUB_KEY_ID_0119922220262024120200": publicKey],
                apiV3Keys: [apiV3Key]))
    }

    func xendit() throws -> any Provider {
        try RecipeProvider(.xendit, settings: .init(secrets: [secret]))
    }
}
