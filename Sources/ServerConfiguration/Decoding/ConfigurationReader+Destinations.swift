import Bytes
import Payments
import Platform
import Providers
import TLS
import WebClient

extension ConfigurationReader {
    /// Reads `destinations`.
    ///
    /// - Parameter known: The names of the endpoints whose events can be delivered. Nil where some
    ///   endpoint could not be read, which must not be reported as unknown.
    func destinations(_ known: [String]?) -> [DestinationConfiguration] {
        guard let values = root.optional("destinations")?.sequence() else { return [] }
        var names: [String: ValueReader] = [:]
        return values.compactMap { value in
            guard let section = value.mapping() else { return nil }
            let place = section.required("name", "write `name: shop`")
            let name = place?.endpointName()
            if let place, let name { place.claim(name, in: &names) }
            return DestinationReader(section: section, endpoints: known)
                .destination(name: name ?? "")
        }
    }
}

/// Reads one destination.
struct DestinationReader {
    let section: MappingReader
    /// The names of the endpoints; nil when some could not be read.
    let endpoints: [String]?

    /// Headers that receivers rely on, so that the configuration cannot set them.
    private static let reservedHeaders = [
        "webhook-id", "webhook-timestamp", "webhook-signature", "content-type", "content-length",
        "transfer-encoding", "host", "connection", "expect", "te", "upgrade", "trailer",
        "traceparent",
    ]
    /// One year; a longer time is taken for a mistake.
    private static let secondsMax = 31_536_000.0
    private static let retriesMax = 100

    /// The destination, or nil after a mistake was reported.
    func destination(name: String) -> DestinationConfiguration? {
        let url = section.required("url", "write `url: https://shop.example/payments`")?.webURL()
        let (signer, sources) = secrets()
        let names = section.optional("endpoints")?.list { value in
            endpoints.map { value.oneOf($0, "endpoint") } ?? value.filledText()
        }
        let statuses = section.optional("statuses")?.list { $0.choice(OrderStatus.self) }
        let kinds = section.optional("kinds")?.list { $0.eventKind() }
        checkFilter(statuses, kinds)
        let retries = section.optional("retrySeconds").flatMap { retrySeconds($0) }
        let breaker = section.optional("breakerSeconds")?.seconds(in: 0.001...Self.secondsMax)
        let timeout = section.optional("timeoutSeconds")?.seconds(in: 0.001...3600)
        let concurrency = section.optional("concurrency")?.integer(in: 1...10_000)
        let start = section.optional("from")?.deliveryStart()
        let headers = section.optional("headers").map { self.headers($0) }
        let route = route()
        section.finish()
        guard let url, let signer else { return nil }
        var destination = DestinationConfiguration(
            name: name, url: url, signer: signer, secretSources: sources)
        destination.endpoints = names
        destination.statuses = statuses
        destination.kinds = kinds
        destination.headers = headers ?? []
        destination.route = route
        retries.map { destination.retrySeconds = $0 }
        breaker.map { destination.breakerSeconds = $0 }
        timeout.map { destination.timeoutSeconds = $0 }
        concurrency.map { destination.concurrency = $0 }
        start.map { destination.start = $0 }
        checkAddress(of: url, route)
        return destination
    }

    /// The signer with the keys of `secrets`.
    func signer() -> StandardWebhooksSigner? { secrets().0 }

    /// The keys about the connection to `url`, which are checked against it.
    func connection(of url: WebURL?) -> (headers: [Header], route: WebRoute) {
        let headers = section.optional("headers").map { self.headers($0) }
        let route = route()
        if let url { checkAddress(of: url, route) }
        return (headers ?? [], route)
    }

    // MARK: Filters

    /// Statuses that an order may have after `paid`: who is sent that it was paid must be sent that
    /// the money goes back.
    private static let afterPaid: [OrderStatus] = [
        .partiallyRefunded, .refunded, .disputed, .chargedBack, .review,
    ]
    /// Kinds of events by which an order leaves `paid`.
    private static let kindsAfterPaid = ["refund", "dispute", "reversal", "action"]

    private func checkFilter(_ statuses: [OrderStatus]?, _ kinds: [String]?) {
        if let statuses, statuses.contains(.paid) || statuses.contains(.partiallyRefunded) {
            let hidden = Self.afterPaid.filter { !statuses.contains($0) }
            warn("statuses", "paid orders", hidden.map(\.rawValue))
        }
        if statuses == nil, let kinds, kinds.contains("payment") || kinds.contains("capture") {
            warn("kinds", "payments", Self.kindsAfterPaid.filter { !kinds.contains($0) })
        }
    }

    private func warn(_ key: String, _ shown: String, _ hidden: [String]) {
        guard !hidden.isEmpty else { return }
        let list = hidden.joined(separator: ", ")
        section.warning(
            key, "\(shown) are delivered, but not every later change of them: \(list)",
            "add \(list)")
    }

    // MARK: Signing

    private func secrets() -> (StandardWebhooksSigner?, [SecretSource]) {
        let remedy = "write `secrets: [{file: secrets/shop}]`; \(Self.freshSecret)"
        guard let place = section.required("secrets", remedy), let values = place.sequence() else {
            return (nil, [])
        }
        if values.isEmpty { place.mistake("is empty", remedy) }
        var keys: [StandardWebhooksKey] = []
        var sources: [SecretSource] = []
        for value in values {
            guard let secret = value.reference(.secret) else { continue }
            sources.append(secret.source)
            if let key = Self.key(secret.bytes, value) { keys.append(key) }
        }
        guard keys.count == values.count, !keys.isEmpty else { return (nil, sources) }
        return (try? StandardWebhooksSigner(keys), sources)
    }

    private static let freshSecret =
        "a new one: `echo whsec_$(openssl rand -base64 32) > secrets/shop`"

    private static func key(_ secret: [UInt8], _ place: ValueReader) -> StandardWebhooksKey? {
        let text = String(decoding: secret, as: UTF8.self)
        // The reference libraries also accept Base64 without the prefix. Without this check, a
        // password that happens to be valid Base64 would be accepted.
        let isMarked = ["whsec_", "whsk_", "whpk_"].contains { text.hasPrefix($0) }
        guard isMarked else {
            place.mistake("the secret does not begin with whsec_ (or whsk_)", freshSecret)
            return nil
        }
        do throws(SettingsError) {
            let key = try StandardWebhooksKey(secret, setting: "")
            switch key {
            case .shared(let bytes)
            where !StandardWebhooksSigner.secretBytes.contains(bytes.count):
                place.mistake(
                    "the secret has \(bytes.count) bytes, and 24 to 64 are asked for", freshSecret)
                return nil
            case .verifying:
                place.mistake(
                    "this is the public key, which the receiver needs",
                    "give the private one, whsk_…")
                return nil
            default: return key
            }
        } catch {
            let isShared = text.hasPrefix("whsec_")
            place.mistake(
                isShared ? "what follows whsec_ is not Base64" : error.message, freshSecret)
            return nil
        }
    }

    private func headers(_ value: ValueReader) -> [Header] {
        guard let section = value.mapping() else { return [] }
        return section.all.compactMap { name, value in
            guard HeaderRules.isName(name) else {
                value.mistake("\(quoted(name)) is not a valid header name", "write x-name: value")
                return nil
            }
            guard !Self.reservedHeaders.contains(name.lowercased()) else {
                value.mistake("\(name) is set by ipnd", "choose another header")
                return nil
            }
            guard let text = value.textOrReference() else { return nil }
            guard HeaderRules.isValue(text) else {
                value.mistake("the value of \(name) has a control character", "remove it")
                return nil
            }
            return Header(name, text)
        }
    }

    // MARK: Retries

    private func retrySeconds(_ place: ValueReader) -> [Double]? {
        guard let values = place.sequence() else { return nil }
        guard values.count <= Self.retriesMax else {
            place.mistake("has \(values.count) pauses", "write at most \(Self.retriesMax)")
            return nil
        }
        return values.compactMap { $0.seconds(in: 0...Self.secondsMax) }
    }

    // MARK: Connection

    private func route() -> WebRoute {
        var route = WebRoute()
        section.optional("proxy").flatMap { $0.webProxy() }.map { route.proxy = $0 }
        let ca = section.optional("caFile")
        route.caFile = ca?.readablePath()
        if let ca, let file = route.caFile { checkTLS(ca) { try TLSClient(trust: .file(file)) } }
        if let place = section.optional("clientCertificate"), let pair = place.mapping() {
            let certificate = pair.required("certificate", "write `certificate: tls/client.pem`")?
                .readablePath()
            let key = pair.required("key", "write `key: tls/client-key.pem`")?.readablePath()
            pair.finish()
            if let certificate, let key {
                route.clientCertificate = (certificate, key)
                checkTLS(place) { try TLSClient(trust: .anyone, identity: (certificate, key)) }
            }
        }
        route.addresses.allowed = section.optional("allowAddresses")?.networks() ?? []
        return route
    }

    /// Loads the files in the way that a connection will.
    private func checkTLS(_ place: ValueReader, _ load: () throws -> TLSClient) {
        do { _ = try load() } catch {
            guard let error = error as? TLSError else { return }
            var problem = "\(error)"
            if problem.hasSuffix(".") { problem.removeLast() }
            place.mistake(problem, error.remedy)
        }
    }

    private func checkAddress(of url: WebURL, _ route: WebRoute) {
        if let address = url.address, let refusal = route.addresses.refusal(of: address) {
            section.mistake(
                "url", "\(refusal), which is not called",
                "allow it: `allowAddresses: [\(address)]`")
        }
        let isLocal =
            url.host == "localhost"
            || url.address.map { SocketAddress.ip($0, port: url.port).isLocal } == true
        if !url.usesTLS, !isLocal {
            section.warning("url", "events are sent unencrypted", "use https")
        }
    }
}
