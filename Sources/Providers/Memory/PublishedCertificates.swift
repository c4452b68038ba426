import Cryptography
import Payments

/// The certificates by which an endpoint verifies: those of one name that a provider publishes
/// below one path of its hosts, and that a trusted authority issued.
struct PublishedCertificates: Sendable {
    let hosts: [String]
    /// The path up to the certificate's id, which is letters, digits and hyphens.
    let path: String
    /// The only name of each certificate.
    let name: String
    private let cache: CertificateCache
    private let trust: CertificateTrust
    /// Certificates of the provider's own among the authorities: with them none is fetched.
    private let given: [Certificate]
    private let known = TrustedKeys()

    /// - Parameters:
    ///   - authorities: Roots and intermediates in PEM.
    ///   - includesSystem: Whether the system's authorities are trusted, too.
    /// - Throws: `KeyError` where the authorities hold no certificate.
    init(
        hosts: [String], path: String, name: String, authorities: String, includesSystem: Bool,
        cache: CertificateCache
    ) throws(KeyError) {
        let certificates = Certificate.all(inPEM: authorities)
        guard !certificates.isEmpty else { throw .malformed }
        trust = try CertificateTrust(certificates, includesSystem: includesSystem)
        given = certificates.filter { Self.isNamed($0, name) }
        self.hosts = hosts
        self.path = path
        self.name = name
        self.cache = cache
    }

    /// - Throws: `certificate_url_refused` for a URL of another host, path or form. A port, a user
    ///   name, a query and a fragment are other forms.
    func check(_ url: String) throws(Refusal) {
        let isOurs = hosts.contains { host in
            let prefix = "https://\(host)\(path)".utf8
            let id = url.utf8.dropFirst(prefix.count)
            return url.utf8.starts(with: prefix) && (1...80).contains(id.count)
                && id.allSatisfy { isNameByte($0) && $0 != 0x5F && $0 != 0x2E }
        }
        guard isOurs else {
            throw .unauthenticated(
                "certificate_url_refused",
                "the certificate's URL is not https://\(hosts.first ?? "")\(path)…")
        }
    }

    /// Fetches the certificate at a checked URL, unless it is known.
    func obtain(_ url: String, at time: Timestamp) async {
        guard given.isEmpty else { return }
        await cache.obtain(url, now: time) { (try? key(of: $0, at: time)) != nil }
    }

    /// The keys that may have signed: that of the certificate at a checked URL, or of those that
    /// were given.
    func keys(_ url: String, at time: Timestamp) throws(Refusal) -> [RSAPublicKey] {
        if let pem = cache.certificate(at: url) { return [try key(of: pem, at: time)] }
        var found: [RSAPublicKey] = []
        var refusal = Refusal.unavailable(
            "certificate_unavailable", "the certificate could not be had yet")
        for (index, certificate) in given.enumerated() {
            do throws(Refusal) {
                found.append(try key("given \(index)", at: time) { certificate })
            } catch {
                refusal = error
            }
        }
        guard !found.isEmpty else { throw refusal }
        return found
    }

    private func key(of pem: String, at time: Timestamp) throws(Refusal) -> RSAPublicKey {
        try key(pem, at: time) { Certificate.all(inPEM: pem).first }
    }

    /// The key of a certificate that is the provider's at this time, remembered under `place`.
    private func key(
        _ place: String, at time: Timestamp, _ certificate: () -> Certificate?
    ) throws(Refusal) -> RSAPublicKey {
        let seconds = time.wholeSeconds.microseconds / 1_000_000
        if let key = known.key(place, at: seconds) { return key }
        guard let certificate = certificate() else {
            throw .unauthenticated("certificate_unreadable", "the URL gave no certificate in PEM")
        }
        let verdict = trust.judge(certificate, at: seconds)
        if case .untrusted = verdict {
            throw .unauthenticated("certificate_untrusted", "no trusted authority issued it")
        }
        guard Self.isNamed(certificate, name) else {
            throw .unauthenticated("certificate_name", "it is not one of \(name)")
        }
        guard case .trusted(let validity) = verdict else {
            throw .unauthenticated("certificate_expired", "it was not valid at this time")
        }
        guard let key = try? certificate.publicKey() else {
            throw .unauthenticated("certificate_unreadable", "it holds no usable RSA key")
        }
        known.add(key, of: place, validity: validity)
        return key
    }

    /// Whether `name` is the certificate's only name.
    private static func isNamed(_ certificate: Certificate, _ name: String) -> Bool {
        [certificate.hostNames, certificate.commonNames].allSatisfy {
            $0.count == 1 && $0[0].utf8.elementsEqual(name.utf8)
        }
    }
}

/// Whether a byte is a letter, a digit, `_`, `-` or `.`, as ids and hosts have them.
func isNameByte(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
        || "_-.".utf8.contains(byte)
}
