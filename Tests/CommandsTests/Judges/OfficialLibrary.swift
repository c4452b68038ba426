import TestSupport

/// A payment system's own Python library, which judges signatures.
struct OfficialLibrary: Sendable, CustomStringConvertible {
    /// The provider's name in the configuration.
    let provider: String

    /// The module that has to be there.
    let module: String

    /// The endpoint's settings, as in a file of vectors.
    let config: String

    /// Python that gives `right` from `body`, `headers`, `config`.
    let verifies: String

    /// Python that gives `signed`, the headers and the body, from `body` and `config`; nil where
    /// the library signs nothing.
    var signs: String?

    var description: String { provider }

    static let all = [
        OfficialLibrary(
            provider: "stripe", module: "stripe",
            config: #"{"secrets":["whsec_ipnd0judge0secret"],"mode":"test"}"#,
            verifies: """
                import stripe
                try:
                    header = headers["stripe-signature"]
                    secret = config["secrets"][0]
                    # Without a tolerance: the event's own time is signed.
                    right = stripe.WebhookSignature.verify_header(body, header, secret)
                    stripe.Event.construct_from(json.loads(body), None)
                except stripe.SignatureVerificationError:
                    right = False
                """,
            signs: """
                import stripe
                sign = stripe.WebhookSignature.generate_signature_header
                header = sign(body, config["secrets"][0], timestamp=1790000000)
                signed = [["Stripe-Signature", header]], body
                """),
        OfficialLibrary(
            provider: "adyen", module: "Adyen",
            config: #"""
                {"hmacKeys":["44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056"],
                 "merchantAccount":"IpndShopECOM","capture":"automatic","mode":"test"}
                """#,
            verifies: """
                import Adyen.util
                try:
                    right = Adyen.util.is_valid_hmac_notification(
                        json.loads(body), config["hmacKeys"][0])
                except ValueError:
                    right = False
                """,
            signs: """
                import Adyen.util
                notification = json.loads(body)
                for wrapped in notification["notificationItems"]:
                    item = wrapped["NotificationRequestItem"]
                    item.pop("additionalData", None)
                    item["merchantAccountCode"] = config["merchantAccount"]
                    code = Adyen.util.generate_notification_sig(item, config["hmacKeys"][0])
                    item["additionalData"] = {"hmacSignature": code.decode()}
                signed = [["Content-Type", "application/json"]], json.dumps(notification)
                """),
        OfficialLibrary(
            provider: "square", module: "square",
            config: #"""
                {"signatureKeys":["ipnd_judge_key"],"merchantID":"MLIPNDMAIN01","mode":"test",
                 "notificationURL":"https://pay.example/ipn/square"}
                """#,
            verifies: """
                from square.utils.webhooks_helper import verify_signature
                right = verify_signature(
                    request_body=body,
                    signature_header=headers["x-square-hmacsha256-signature"],
                    signature_key=config["signatureKeys"][0],
                    notification_url=config["notificationURL"],
                )
                """),
        OfficialLibrary(
            provider: "razorpay", module: "razorpay",
            config: #"{"secrets":["ipnd-judge-secret"]}"#,
            verifies: """
                import razorpay
                try:
                    right = razorpay.Utility().verify_webhook_signature(
                        body, headers["x-razorpay-signature"], config["secrets"][0])
                except razorpay.errors.SignatureVerificationError:
                    right = False
                """),
        OfficialLibrary(
            provider: "paddle", module: "paddle_billing",
            config: #"{"secrets":["pdl_ntfset_ipnd_judge"],"mode":"test"}"#,
            verifies: """
                from types import SimpleNamespace
                from paddle_billing.Notifications import Secret, Verifier
                given = {"Paddle-Signature": headers["paddle-signature"]}
                request = SimpleNamespace(headers=given, body=body.encode())
                secret = Secret(config["secrets"][0])
                # Without a tolerance: the event's own time is signed.
                right = Verifier().verify(request, secret, verify_time_drift=False)
                """,
            signs: """
                from paddle_billing.Notifications.PaddleSignature import PaddleSignature
                text = f"1790000000:{body}".encode()
                code = PaddleSignature.calculate_hmac(config["secrets"][0], text).hexdigest()
                signed = [["Paddle-Signature", f"ts=1790000000;h1={code}"]], body
                """),
        OfficialLibrary(
            provider: "gocardless", module: "gocardless_pro",
            config: #"{"secrets":["ipnd-judge-secret"]}"#,
            verifies: """
                from gocardless_pro import errors, webhooks
                try:
                    found = webhooks.parse(
                        body, config["secrets"][0], headers["webhook-signature"])
                    right = len(found) > 0
                except errors.InvalidSignatureError:
                    right = False
                """),
        OfficialLibrary(
            provider: "mollie", module: "mollie.utils.webhooks",
            config: #"{"webhookSecrets":["ipnd-judge-secret"],"kind":"signed","mode":"test"}"#,
            verifies: """
                from mollie.utils.webhooks import signature_validator as webhooks
                try:
                    right = webhooks.SignatureValidator.validate(
                        body, config["webhookSecrets"], headers["x-mollie-signature"])
                except webhooks.InvalidSignatureException:
                    right = False
                """,
            signs: """
                from mollie.utils.webhooks import signature_validator as webhooks
                code = webhooks.SignatureValidator.create_signature(
                    body, config["webhookSecrets"][0])
                signed = [["X-Mollie-Signature", f"sha256={code}"]], body
                """),
        OfficialLibrary(
            provider: "braintree", module: "braintree",
            config: #"""
                {"keys":[{"publicKey":"ipndjudgepublic0","privateKey":"ipnd judge private"}],
                 "currency":"EUR"}
                """#,
            verifies: """
                import braintree
                from urllib.parse import parse_qsl
                pair = config["keys"][0]
                gateway = braintree.BraintreeGateway(braintree.Configuration(
                    braintree.Environment.Sandbox, "m", pair["publicKey"], pair["privateKey"]))
                form = dict(parse_qsl(body))
                try:
                    found = gateway.webhook_notification.parse(
                        form["bt_signature"], form["bt_payload"])
                    right = bool(found.kind) and found.timestamp is not None
                except braintree.exceptions.InvalidSignatureError:
                    right = False
                """,
            signs: """
                import braintree
                from urllib.parse import urlencode
                pair = config["keys"][0]
                gateway = braintree.BraintreeGateway(braintree.Configuration(
                    braintree.Environment.Sandbox, "m", pair["publicKey"], pair["privateKey"]))
                payload = dict(__import__("urllib.parse").parse.parse_qsl(body))["bt_payload"]
                code = braintree.util.crypto.Crypto.sha1_hmac_hash(pair["privateKey"], payload)
                pairs = f"{pair['publicKey']}|{code}"
                fields = {"bt_signature": pairs, "bt_payload": payload}
                signed = [["X", "x"]], urlencode(fields)
                """),
    ]
}

extension OfficialLibrary {
    /// The Python into which scripts/test installs the libraries.
    static let python = SourceTree.url(".build/python/bin/python3").path

    var isInstalled: Bool {
        let tried = try? run(Self.python, ["-c", "import \(module)"])
        return tried?.status == 0
    }

    /// Runs a piece of Python for each case in one program, which loads the library once. Returns
    /// a JSON array of the results.
    ///
    /// - Parameters:
    ///   - result: The name of the result in the piece.
    ///   - cases: Objects with `body` and `headers`.
    func judge(_ piece: String, printing result: String, _ cases: [String]) throws -> String {
        let indented = piece.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
        let program = """
            import json, sys
            given = json.load(sys.stdin)
            config, results = given["config"], []
            for case in given["cases"]:
                body = case["body"]
                headers = {name.lower(): value for name, value in case["headers"]}
            \(indented)
                results.append(\(result))
            print(json.dumps(results))
            """
        let input = #"{"config":\#(config),"cases":[\#(cases.joined(separator: ","))]}"#
        let finished = try run(Self.python, ["-c", program], input: input)
        guard finished.status == 0 else { throw LibraryError(output: finished.errors) }
        return finished.output
    }
}

/// The Python program ended with an error.
struct LibraryError: Error {
    let output: String
}
