import ArgumentParser
import Console
import Glibc
import Payments
import Providers
import Receiver
import Records
import ServerConfiguration

/// Verifies recorded requests once more, from the bytes that the journal keeps.
final class SignatureCheck {
    /// How many bad ones are named.
    private static let namedMax = 20

    /// What a provider says when no key of the endpoint fits. Everything else is wrong whatever the
    /// keys are.
    private static let mismatches: Set<String> = [
        "signature_mismatch", "decryption_failed", "signature_version_unknown", "signature_length",
        "certificate_unavailable", "key_unknown",
    ]

    /// An endpoint's key as records name it: its version or serial, or its place in the list.
    private struct KeyName: Hashable {
        let endpoint: String
        let key: String
    }

    private let endpoints: [String: EndpointConfiguration]
    private(set) var verified = 0
    private(set) var failed = 0
    /// Chargeback callbacks that were taken without a signature: there is nothing to verify.
    private var unsigned = 0
    private var unknownEndpoint = 0
    /// Requests from which something was removed before they were stored, so that their signature
    /// no longer fits.
    private var redacted = 0
    /// Requests that were erased, and those that are sealed with keys that are not here.
    private var erased = 0
    private var locked = 0
    /// Opens sealed records.
    var opener: RecordOpener?
    private var keysInUse: Set<KeyName> = []
    private var withoutKey: [KeyName: Int] = [:]
    /// The first record that was read.
    private var first: UInt64?
    /// The last record with a request that several events share.
    private var shared: (sequence: UInt64, endpoint: String)?

    init(_ configuration: Configuration) {
        endpoints = Dictionary(
            configuration.endpoints.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Checks one record. Throws when it cannot be decoded.
    func check(_ sequence: UInt64, _ record: UnsafeRawBufferPointer) throws {
        let event = try RecordDecoder.event(record)
        // What the merchant registered or a later rule corrected came from no provider: there is no
        // signature.
        first = first ?? sequence
        guard event.isReceived else { return }
        if let holder = event.part?.holder { return checkPart(event, heldBy: holder) }
        if event.part != nil { shared = (sequence, event.endpoint) }
        guard event.key != UnsignedDelivery.key else {
            unsigned += 1
            return
        }
        guard let endpoint = endpoints[event.endpoint] else {
            unknownEndpoint += 1
            return
        }
        let name = KeyName(endpoint: event.endpoint, key: event.key)
        guard let request = try self.request(of: record) else { return }
        // A signed time was judged when it came in.
        let delivery = SignedRequest(
            request, publicPath: endpoint.publicPath, received: event.received)
        do throws(Refusal) {
            try Self.verify(delivery, endpoint.provider)
            verified += 1
            keysInUse.insert(name)
        } catch {
            // The journal's chain excludes that the mark was added later.
            guard request.redaction == nil else {
                redacted += 1
                return
            }
            if Self.mismatches.contains(error.reason), isRemoved(name, endpoint, error) {
                withoutKey[name, default: 0] += 1
                return
            }
            fail(sequence, "\(error.reason): \(error.detail)")
        }
    }

    /// The request of a record; nil where it is counted as not verifiable.
    private func request(of record: UnsafeRawBufferPointer) throws -> RecordedRequest? {
        guard try PersonalPart(of: record) == .sealed else {
            return try RecordDecoder.request(record)
        }
        guard let opened = try opener?.open(record) else {
            locked += 1
            return nil
        }
        guard try opened.withUnsafeBytes({ try PersonalPart(of: $0) }) == .open else {
            erased += 1
            return nil
        }
        return try RecordDecoder.request(opened)
    }

    /// Checks that the record that holds the request of `event` is there: its signature is the
    /// event's. Retention may have removed it only with everything before the first record.
    private func checkPart(_ event: RecordedEvent, heldBy holder: UInt64) {
        if let first, holder < first { return }
        if let shared, shared.sequence == holder, shared.endpoint == event.endpoint { return }
        fail(event.sequence, "request_missing: record \(holder) does not hold its request")
    }

    private func fail(_ sequence: UInt64, _ text: String) {
        failed += 1
        if failed <= Self.namedMax { StandardError.print("record \(sequence): \(text)") }
    }

    /// Whether the key that once verified a record may have been taken out of the configuration.
    ///
    /// A public key is there or not; where it is, and what it signed does not open, the secret that
    /// opens it was removed. Of a secret alone a record has the place in the list, and the next
    /// one moves up when the first is removed: so the records of a removed secret are the first
    /// ones of their place. One after a record that verifies was changed.
    private func isRemoved(
        _ name: KeyName, _ endpoint: EndpointConfiguration, _ refusal: Refusal
    ) -> Bool {
        let names = endpoint.settings.keys.map(\.name)
        if !names.isEmpty {
            return refusal.reason == "decryption_failed" || !names.contains(name.key)
        }
        return !keysInUse.contains(name)
    }

    private static func verify(
        _ delivery: SignedRequest, _ provider: some Provider
    ) throws(Refusal) {
        _ = try provider.verify(delivery)
    }

    /// Prints the counts.
    ///
    /// - Throws: 72 when a signature does not verify; 1 when all that do not may be those of keys
    ///   that were removed.
    func report() throws {
        let gone = withoutKey.values.reduce(0, +)
        let rest = gone == 0 ? "" : ", \(gone) whose key is no longer configured"
        StandardOutput.print("signatures   \(verified) verified, \(failed) failed\(rest)")
        for (name, count) in withoutKey.sorted(by: { $0.value > $1.value }) {
            StandardOutput.print(
                "             endpoint \(name.endpoint), key \(name.key): "
                    + counted(count, "record"))
        }
        if unsigned > 0 {
            StandardOutput.print(
                "             \(counted(unsigned, "chargeback")), never signed by the provider")
        }
        if redacted > 0 {
            StandardOutput.print(
                "             \(counted(redacted, "record")) redacted before it was stored, so not "
                    + "verifiable any more")
        }
        if erased > 0 {
            StandardOutput.print(
                "             \(counted(erased, "record")) erased, so not verifiable any more")
        }
        if locked > 0 {
            StandardOutput.print(
                "             \(counted(locked, "record")) sealed; add `personal.masterKeys` to "
                    + "verify")
        }
        if unknownEndpoint > 0 {
            StandardOutput.print(
                "             \(counted(unknownEndpoint, "record")) of endpoints not configured")
        }
        guard failed == 0 else {
            StandardError.print(
                "ipnd: \(counted(failed, "signature")) not verified by the configured keys")
            throw ExitCode(EX_OSFILE)
        }
        guard gone == 0 else {
            StandardError.print(
                "ipnd: \(counted(gone, "record")) not verified by the configured keys; add "
                    + "the keys that were removed")
            throw ExitCode(EXIT_FAILURE)
        }
    }
}

extension SignedRequest {
    /// The delivery that a record kept.
    init(_ request: RecordedRequest, publicPath: String, received: Timestamp) {
        let mark = request.target.firstIndex(of: UInt8(ascii: "?"))
        self.init(
            method: request.method, path: Array(publicPath.utf8)[...],
            query: mark.map { request.target[request.target.index(after: $0)...] },
            headers: request.headers, body: request.body, received: received)
    }
}
