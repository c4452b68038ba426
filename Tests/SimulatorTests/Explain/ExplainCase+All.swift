import Bytes
import Cryptography
import JSON
import Providers
import Testing

@testable import Explain
@testable import Simulator

extension ExplainCase {
    static let all: [ExplainCase] = keys + mistakes + secrets + paths + headers + bodies + schemes

    private static let mistakes = [
        ExplainCase("merchant_account", "adyen", "another account is configured") { scene in
            scene.settings["merchantAccount"] = "OtherECOM"
        },
        ExplainCase("merchant_id", "square", "another merchant is configured") { scene in
            scene.settings["merchantID"] = "MLOTHER0001"
        },
        ExplainCase("account_id", "razorpay", "another account is configured") { scene in
            scene.settings["accountID"] = "acc_Other00000001"
        },
        ExplainCase("hex_key_as_text", "adyen", "the key's characters signed") { scene in
            try scene.signItem(HMACKey(.sha256, scene.settings.secrets[0])) { $0 }
        },
        ExplainCase("escaped_colons", "adyen", "colons in the reference were escaped") { scene in
            scene.body = scene.body.replacing("ORDER/", with: "ORDER:")
            let key = try #require(Hex.decode(scene.settings.secrets[0][...]))
            try scene.signItem(HMACKey(.sha256, key)) { $0.replacing(":", with: "\\:") }
        },
    ]

    private static let keys = [
        ExplainCase("time", "standard-webhooks", "captured long ago") { scene in
            let key = try #require(
                Base64.decode(strict: Array(scene.settings.secrets[0].dropFirst(6))[...]))
            let content = try "\(scene.header("webhook-id")).1000000000.\(scene.body)"
            let code = HMAC.code(.sha256, key: key, message: Array(content.utf8))
            scene.setHeader("webhook-timestamp", "1000000000")
            scene.setHeader("webhook-signature", "v1,\(Base64.encode(code))")
        },
        ExplainCase("given_key", "antom", "the new key was given") { scene in
            let key = try scene.configureStrangeKey()
            scene.candidates = [.init(name: "--key new.pem", bytes: Array(key.utf8))]
        },
        ExplainCase("sandbox_key", "antom", "a sandbox signed, live keys are configured") { scene in
            let key = try scene.configureStrangeKey()
            scene.candidates = [
                .init(
                    name: "the public half of sandbox/antom.pem", bytes: Array(key.utf8),
                    isSandbox: true)
            ]
        },
        ExplainCase("other_key", "antom", "a key of another version lies beside it") { scene in
            let key = try scene.configureStrangeKey()
            scene.candidates = [.init(name: "keys/antom-2.pem", bytes: Array(key.utf8))]
        },
        ExplainCase("other_key", "citcon-upi", "the secret lies in another file") { scene in
            scene.candidates = [.init(name: "secrets/x", bytes: scene.settings.secrets[0])]
            scene.settings.secrets = [Array("something else".utf8)]
        },
        ExplainCase("sandbox_key", "standard-webhooks", "a sandbox signed as v1a") { scene in
            let key = try Ed25519PrivateKey(Array(1...32))
            let content = try """
            \(scene.header("webhook-id")).\(scene.header("webhook-timestamp")).\(scene.body)
            """
            let signature = try key.sign(Array(content.utf8))
            scene.setHeader("webhook-signature", "v1a,\(Base64.encode(signature))")
            let text = StandardWebhooksKey.publicText(key.publicKey)
            scene.candidates = [
                .init(name: "sandbox/x.key", bytes: Array(text.utf8), isSandbox: true)
            ]
        },
        ExplainCase("other_endpoint_key", "ecommpay", "two endpoints' secrets exchanged") { scene in
            scene.others = [try Sandbox.endpoint("ecommpay")]
            scene.settings.secrets = [Array("something else".utf8)]
        },
        ExplainCase("client_id", "antom", "another client id is configured") { scene in
            scene.settings["clientID"] = "LIVE_1"
        },
        ExplainCase("project_id", "ecommpay", "another project is configured") { scene in
            scene.settings["projectID"] = "116"
        },
        ExplainCase("webhook_simulator", "paypal", "the dashboard's simulator") { scene in
            let id = try scene.header("paypal-transmission-id")
            let time = try scene.header("paypal-transmission-time")
            let crc = CRC32.checksum(scene.request.body)
            let key = try RSAPrivateKey(pem: Sandbox.senderKey("paypal"))
            let signature = try key.signSHA256(Array("\(id)|\(time)|WEBHOOK_ID|\(crc)".utf8))
            scene.setHeader("paypal-transmission-sig", Base64.encode(signature))
        },
    ]

    private static let secrets = [
        ExplainCase("secret_white_space", "citcon-upi", "a newline in the secret") { scene in
            scene.settings.secrets[0].append(0x0A)
        },
        ExplainCase("secret_white_space", "ecommpay", "the secret in quotes") { scene in
            scene.settings.secrets[0] = [0x22] + scene.settings.secrets[0] + [0x22]
        },
        ExplainCase("secret_encoding", "hmac", "the secret in hex") { scene in
            scene.settings.secrets[0] = Array(Hex.encode(scene.settings.secrets[0]).utf8)
        },
        ExplainCase("secret_encoding", "citcon-pay", "the secret in capitals") { scene in
            let text = String(decoding: scene.settings.secrets[0], as: UTF8.self)
            scene.settings.secrets[0] = Array(text.uppercased().utf8)
        },
        ExplainCase("secret_encoding", "standard-webhooks", "in Base64 once more") { scene in
            scene.settings.secrets[0] = Array(Base64.encode(scene.settings.secrets[0]).utf8)
        },
    ]

    private static let paths = [
        ExplainCase("path_received", "antom", "publicPath is wrong") { scene in
            scene.publicPath = "/elsewhere"
        },
        ExplainCase("path_prefix", "antom", "a proxy took the prefix away") { scene in
            scene.publicPath = "/antom"
            scene.request.target = Array("/antom".utf8)[...]
        },
        ExplainCase("path_prefix", "antom", "a proxy added a prefix") { scene in
            scene.publicPath = "/inside/ipn/antom"
            scene.request.target = Array("/inside/ipn/antom".utf8)[...]
        },
        ExplainCase("path_prefix", "antom", "a header tells the original") { scene in
            scene.publicPath = "/x"
            scene.request.target = Array("/x".utf8)[...]
            scene.addHeader("X-Original-URI", "/ipn/antom?a=1")
        },
        ExplainCase("path_replaced", "antom", "nginx puts /pay/ in place of /ipn/") { scene in
            scene.publicPath = "/pay/antom"
            scene.request.target = Array("/pay/antom".utf8)[...]
        },
        ExplainCase("given_path", "antom", "the path was given") { scene in
            scene.publicPath = "/somewhere/else"
            scene.request.target = Array("/somewhere/else".utf8)[...]
            scene.givenPaths = ["/nowhere", "/ipn/antom"]
        },
        ExplainCase("path_trailing_slash", "antom", "a slash more") { scene in
            scene.publicPath = "/ipn/antom/"
            scene.request.target = Array("/ipn/antom/".utf8)[...]
        },
        ExplainCase("path_spelling", "antom", "in capitals") { scene in
            scene.publicPath = "/IPN/Antom"
            scene.request.target = Array("/IPN/Antom".utf8)[...]
        },
    ]

    private static let headers = [
        ExplainCase("header_plus_for_space", "hmac", "+ became a space") { scene in
            scene.settings[HMACWebhook.scheme]?.encoding = .base64
            // Among numbered bodies, one soon has a signature with a `+`.
            for number in 0..<10_000 {
                let body = Array(#"{"id":"\#(number)"}"#.utf8)
                let code = Base64.encode(
                    HMAC.code(.sha256, key: scene.settings.secrets[0], message: body))
                guard code.contains("+") else { continue }
                scene.request.body = body
                scene.setHeader("x-signature", String(code.map { $0 == "+" ? " " : $0 }))
                return
            }
        },
        ExplainCase("header_folded", "antom", "a folded signature") { scene in
            let value = try scene.header("signature")
            scene.setHeader("signature", "\(value.prefix(80)) \(value.dropFirst(80))")
        },
        ExplainCase("header_encoded_twice", "antom", "the signature encoded twice") { scene in
            let value = try scene.header("signature")
            scene.setHeader("signature", String(value.flatMap { $0 == "%" ? "%25" : "\($0)" }))
        },
        ExplainCase("header_repeated", "hmac", "two proxies add it") { scene in
            scene.addHeader("X-Signature", try scene.header("x-signature"))
        },
        ExplainCase("header_repeated", "antom", "joined by a comma") { scene in
            let value = try scene.header("request-time")
            scene.setHeader("request-time", "\(value), \(value)")
        },
        ExplainCase("header_removed", "antom", "a firewall took the client id away") { scene in
            scene.request.headers.removeAll {
                String(decoding: $0.name, as: UTF8.self).lowercased() == "client-id"
            }
        },
        ExplainCase("header_renamed", "antom", "underscores") { scene in
            scene.setHeader("client-id", try scene.header("client-id"), as: "client_id")
            scene.setHeader(
                "request-time", try scene.header("request-time"), as: "HTTP_REQUEST_TIME")
        },
        ExplainCase("header_renamed", "standard-webhooks", "a gateway's X- before Svix's names") {
            scene in
            for part in ["id", "timestamp", "signature"] {
                let value = try scene.header("webhook-\(part)")
                scene.setHeader("webhook-\(part)", value, as: "X-Svix-\(part)")
            }
        },
    ]

    private static func rewriting(_ layout: JSONLayout) -> @Sendable (inout Scene) throws -> Void {
        { $0.request.body = layout.write(try JSONDocument(parsing: $0.request.body).root) }
    }

    private static let bodies = [
        ExplainCase(
            "body_white_space", "antom", "indented", rewriting(JSONLayout(space: .twoSpaces))),
        ExplainCase("body_white_space", "hmac", "a newline more") { $0.body += "\n" },
        ExplainCase(
            "body_unicode_escapes", "antom", "characters escaped",
            rewriting(JSONLayout(escapes: .lowerHex, escapesSlashes: true))),
        ExplainCase("body_key_order", "antom", "members turned round") { scene in
            let document = try JSONDocument(parsing: scene.request.body)
            let members = document.root.members.map {
                "\"\($0.key)\":" + String(decoding: $0.value.rawBytes, as: UTF8.self)
            }
            scene.body = "{\(members.reversed().joined(separator: ","))}"
        },
        ExplainCase(
            "body_rewritten", "antom", "indented and escaped",
            rewriting(JSONLayout(space: .fourSpaces, escapes: .upperHex, escapesSlashes: true))),
        ExplainCase("charset", "antom", "UTF-8 taken for Latin-1") { scene in
            scene.body = String(
                String.UnicodeScalarView(scene.request.body.map { Unicode.Scalar($0) }))
        },
        ExplainCase("charset", "hmac", "UTF-8 made Latin-1") { scene in
            scene.request.body = scene.body.unicodeScalars.map { UInt8($0.value) }
        },
        ExplainCase("charset", "antom", "a byte order mark") { $0.body = "\u{FEFF}" + $0.body },
        ExplainCase("body_form", "citcon-pay", "the form decoded once") { scene in
            scene.request.body = FormText.changingValues(scene.request.body, FormText.decoded)
        },
        ExplainCase("body_form", "citcon-pay", "the form encoded twice") { scene in
            scene.request.body = FormText.changingValues(scene.request.body, FormText.encoded)
        },
        ExplainCase("fields_list", "citcon-upi", "spaces in the list") { scene in
            let list = try #require(
                try JSONDocument(parsing: scene.request.body).root["fields"]?.string)
            scene.body = scene.body.replacing(
                "\"\(list)\"", with: "\"\(list.replacing(",", with: ", "))\"")
        },
    ]

    private static let schemes = [
        ExplainCase("scheme", "hmac", "SHA-512 is configured") {
            $0.settings[HMACWebhook.scheme]?.algorithm = .sha512
        },
        ExplainCase("scheme", "hmac", "another header is configured") { scene in
            scene.settings[HMACWebhook.scheme]?.place = .header("x-hub-signature")
        },
        ExplainCase("scheme", "hmac", "a prefix comes with it") { scene in
            scene.setHeader("x-signature", "sha256=\(try scene.header("x-signature"))")
        },
        ExplainCase("scheme", "hmac", "it signs as Stripe does") { scene in
            let content = Array("1700000000.\(scene.body)".utf8)
            let code = HMAC.code(.sha256, key: scene.settings.secrets[0], message: content)
            scene.setHeader("x-signature", "t=1700000000,v1=\(Hex.encode(code))")
        },
        ExplainCase("scheme", "hmac", "it signs method and path, too") { scene in
            scene.publicPath = "/ipn/hmac"
            scene.addHeader("x-time", "1700000000")
            let content = Array("1700000000POST/ipn/hmac\(scene.body)".utf8)
            let code = HMAC.code(.sha512, key: scene.settings.secrets[0], message: content)
            scene.setHeader("x-signature", Base64.encode(code))
        },
    ]
}

extension ExplainCase.Scene {
    /// Signs the item of the body with a mistake.
    fileprivate mutating func signItem(
        _ key: HMACKey, _ escaped: (String) -> String
    ) throws {
        let root = try JSONDocument(parsing: request.body).root
        let item = try #require(root.at(pointer: "/notificationItems/0/NotificationRequestItem"))
        let text = [
            "/pspReference", "/originalReference", "/merchantAccountCode", "/merchantReference",
            "/amount/value", "/amount/currency", "/eventCode", "/success",
        ].map { pointer in
            let value = item.at(pointer: pointer)
            return escaped(value?.string ?? value?.lexeme ?? "")
        }.joined(separator: ":")
        let old = try #require(item.at(pointer: "/additionalData/hmacSignature")?.string)
        body = body.replacing(old, with: Base64.encode(key.code(Array(text.utf8))))
    }
}
