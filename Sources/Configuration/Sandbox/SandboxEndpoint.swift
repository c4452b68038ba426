import Bytes
import Cryptography
import Platform
import Providers

/// One system's part of a new folder: its lines in the configuration and its fresh keys.
struct SandboxEndpoint {
    /// A file below the new folder.
    struct File: Equatable {
        let path: String
        let bytes: [UInt8]
    }

    /// The item of `endpoints:`, indented by two.
    let lines: [String]
    let files: [File]

    /// The endpoint's name, where the system's own is longer than a merchant would write.
    private static let shortNames = ["citcon-upi": "citcon"]

    /// One of each system, then the examples of what `hmac` and `standard-webhooks` can be.
    ///
    /// - Parameter simulator: Where `ipnd simulate` answers inquiries; nil writes no `inquiry:`.
    static func all(
        simulator: SocketAddress?
    ) throws(SandboxFolderError) -> [SandboxEndpoint] {
        var endpoints: [SandboxEndpoint] = []
        for descriptor in ProviderRegistry.list {
            endpoints.append(try SandboxEndpoint(descriptor, simulator: simulator))
        }
        return endpoints + [try standardWebhooksEd25519(), stripe()]
    }

    private init(lines: [String], files: [File]) {
        self.lines = lines
        self.files = files
    }

    /// Makes keys of the kind that the system wants.
    init(
        _ descriptor: ProviderDescriptor, simulator: SocketAddress?
    ) throws(SandboxFolderError) {
        let name = Self.shortNames[descriptor.name] ?? descriptor.name
        var files: [File]
        var lines = [
            "  - name: \(name)", "    path: /ipn/\(name)", "    provider: \(descriptor.name)",
        ]
        if descriptor.settingsKeys.contains("clientID") { lines.append("    clientID: SANDBOX_1") }
        switch descriptor.credential {
        case .rsaKeyPair:
            let key: RSAPrivateKey
            do throws(KeyError) { key = try RSAPrivateKey.generate() } catch {
                throw .keyGeneration("\(error)")
            }
            files = [
                File(path: "keys/\(name).pem", bytes: Array(key.publicKeyPEM.utf8)),
                File(path: SandboxKeys.privateKeyPath(endpoint: name), bytes: Array(key.pem.utf8)),
            ]
            lines.append("    keys: [{version: 1, publicKey: {file: keys/\(name).pem}}]")
        case .secret:
            files = [Self.secret(name, SandboxSecret.text())]
        case .hexSecret(let count):
            files = [Self.secret(name, SandboxSecret.hex(count))]
        case .standardWebhooksSecret:
            files = [Self.secret(name, SandboxSecret.standardWebhooks())]
        }
        if descriptor.credential != .rsaKeyPair {
            lines.append("    secrets: [{file: secrets/\(name)}]")
        }
        lines += Self.settings(descriptor.settingsKeys)
        if let simulator, let inquiry = descriptor.inquiry {
            let (line, file) = try Self.inquiry(inquiry, name, simulator)
            lines.append(line)
            if let file { files.append(file) }
        }
        self.lines = lines
        self.files = files
    }

    /// `inquiry:` with credentials of its own, where the system needs some beside the endpoint's.
    private static func inquiry(
        _ inquiry: InquiryDescriptor, _ name: String, _ simulator: SocketAddress
    ) throws(SandboxFolderError) -> (line: String, file: File?) {
        var members = ["url: \"http://\(simulator)\""]
        var file: File?
        if inquiry.settingsKeys.contains("keyVersion") {
            let path = "keys/\(name)-merchant.pem"
            members.append("privateKey: {file: \(path)}")
            do throws(KeyError) {
                file = File(path: path, bytes: Array(try RSAPrivateKey.generate().pem.utf8))
            } catch {
                throw .keyGeneration("\(error)")
            }
        } else if inquiry.settingsKeys.contains("privateKey") {
            members.append("privateKey: {file: secrets/\(name)-inquiry}")
            file = secret("\(name)-inquiry", "sk-" + Hex.encode(secureRandomBytes(16)))
        } else if inquiry.settingsKeys.contains("token") {
            members.append("token: {file: secrets/\(name)-inquiry}")
            members.append("entityIDs: [\(Hex.encode(secureRandomBytes(16)))]")
            file = secret("\(name)-inquiry", Base64.encode(secureRandomBytes(24)))
        }
        return ("    inquiry: {\(members.joined(separator: ", "))}", file)
    }

    private static func secret(_ name: String, _ text: String) -> File {
        File(path: "secrets/\(name)", bytes: Array("\(text)\n".utf8))
    }

    /// The other settings that a system reads, with values for trying it out.
    private static func settings(_ keys: Set<String>) -> [String] {
        var lines: [String] = []
        if keys.contains("projectID") { lines.append("    projectID: 115") }
        if keys.contains("mode") {
            lines.append("    mode: test            # `live` refuses to call test payments paid")
        }
        if keys.contains("hmac") {
            lines += ["    hmac: {header: x-signature, algorithm: sha256, encoding: hex}"]
        }
        if keys.contains("fields") { lines += fields }
        return lines
    }

    private static let fields =
        [
            "    fields:",
            "      identity: [/id]",
            "      reference: /reference",
            "      transaction: /transaction",
            "      action: /action        # the id of a capture, refund or dispute",
            "      status: /status",
            "      amount: /amount",
            "      currency: /currency",
            "      statuses:              # the sender's word: what it means",
        ]
        + EventType.allCases.filter { $0 != .ignored }.map {
            "        \($0.rawValue): \($0.rawValue)"
        }
}

extension SandboxEndpoint {
    // MARK: Examples of what can be configured

    /// Standard Webhooks with the sender's public key in place of a shared secret.
    private static func standardWebhooksEd25519() throws(SandboxFolderError) -> SandboxEndpoint {
        let name = "standard-webhooks-v1a"
        let pair: (privateText: String, publicText: String)
        do throws(KeyError) { pair = try StandardWebhooksKey.freshPair() } catch {
            throw .keyGeneration("\(error)")
        }
        return SandboxEndpoint(
            lines: [
                "  - name: \(name)",
                "    path: /ipn/\(name)",
                "    provider: standard-webhooks",
                "    secrets: [{file: keys/\(name).pub}]   # the sender's public key, whpk_…",
            ] + fields,
            files: [
                File(path: "keys/\(name).pub", bytes: Array("\(pair.publicText)\n".utf8)),
                File(
                    path: SandboxKeys.signingKeyPath(endpoint: name),
                    bytes: Array("\(pair.privateText)\n".utf8)),
            ])
    }

    /// Stripe, which `hmac` and `fields` describe completely (docs.stripe.com/webhooks).
    private static func stripe() -> SandboxEndpoint {
        SandboxEndpoint(
            lines: stripeLines.split(separator: "\n").map { "  \($0)" },
            files: [secret("stripe", SandboxSecret.stripe())])
    }

    private static let stripeLines = """
        - name: stripe
          path: /ipn/stripe
          provider: hmac
          secrets: [{file: secrets/stripe}]   # the endpoint's signing secret, with its whsec_
          toleranceSeconds: 300               # Stripe signs every retry with a new time
          hmac:
            header: stripe-signature          # t=1492774577,v1=5257a869…,v1=6ffbb59b…
            signatureParameter: v1
            timestampParameter: t
            signs: "{timestamp}.{body}"
          # Send this endpoint payment_intent.succeeded, .payment_failed, .canceled, .processing and
          # .amount_capturable_updated, refund.created, .updated and .failed, and charge.dispute.*.
          # Set metadata.order_id when you make a PaymentIntent. Amounts in ISK, UGX or MGA cannot
          # be read: Stripe's smallest units for them are not those of ISO 4217.
          fields:
            identity: [/id]
            reference: /data/object/metadata/order_id
            transaction: /data/object/id
            status: /type
            amount: /data/object/amount
            currency: /data/object/currency
            occurred: /created
            statuses:
              payment_intent.processing: pending
              payment_intent.amount_capturable_updated: authorized
              payment_intent.canceled: canceled
              # A charge's amount_refunded is the total of all its refunds so far, and its amount
              # is the charge's. Neither is one refund, so these say nothing about money here;
              # the refund objects below do, each with its own id and amount.
              charge.refunded: ignored
              charge.refund.updated: ignored
            variants:
              - when: /type                   # one try: the PaymentIntent may be tried again
                is: [payment_intent.payment_failed]
                transaction: /data/object/last_payment_error/charge
                statuses: {payment_intent.payment_failed: failed}
              - when: /type                   # of a partial capture, only this part was taken
                is: [payment_intent.succeeded]
                amount: /data/object/amount_received
                statuses: {payment_intent.succeeded: paid}
              - when: /data/object/object     # refund.created, refund.updated, refund.failed
                is: [refund]
                transaction: /data/object/payment_intent
                action: /data/object/id
                status: /data/object/status
                statuses:
                  pending: refund_pending
                  requires_action: refund_pending
                  succeeded: refunded
                  failed: refund_failed
                  canceled: refund_failed
              - when: /data/object/object     # charge.dispute.created, .updated, .closed
                is: [dispute]
                transaction: /data/object/payment_intent
                action: /data/object/id
                status: /data/object/status
                statuses:
                  needs_response: disputed
                  under_review: disputed
                  warning_needs_response: disputed
                  warning_under_review: disputed
                  warning_closed: dispute_closed
                  won: dispute_won
                  lost: charged_back
        """
}
