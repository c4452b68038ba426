import HTTP
import Payments
import Platform
import Providers
import Records
import Redaction
import Synchronization

/// One path that a provider sends notifications to.
///
/// A class, because every request passes it along and a reference is cheaper than ten.
package final class Endpoint: Sendable {
    /// The configured name; part of an order's identity.
    package let name: String
    /// The path that requests arrive on.
    package let path: [UInt8]
    /// The path that the provider signed: the public path if a proxy rewrites it.
    package let signedPath: ArraySlice<UInt8>
    /// The system's name in the registry.
    package let providerName: String
    package let provider: any Provider
    /// The marks by which its notifications are recognised at a wrong path.
    let marks: Marks
    /// The networks that may deliver here; empty means all.
    package let allow: [IPNetwork]
    /// The networks that may send messages that the provider never signs; empty means none.
    package let unsignedFrom: [IPNetwork]
    /// Removes from requests what must not be stored.
    let redactor: Redactor
    let counters: EndpointCounters
    /// The answer to every notification that was stored.
    let acceptance: Response

    package init(
        name: String, path: String, publicPath: String?, providerName: String,
        provider: any Provider, marks: Marks = Marks(), allow: [IPNetwork],
        unsignedFrom: [IPNetwork] = [], redactor: Redactor = Redactor(),
        counters: EndpointCounters
    ) {
        self.name = name
        self.path = Array(path.utf8)
        signedPath = Array((publicPath ?? path).utf8)[...]
        self.providerName = providerName
        self.provider = provider
        self.marks = marks
        self.allow = allow
        self.unsignedFrom = unsignedFrom
        self.redactor = redactor
        self.counters = counters
        acceptance = Response(provider.answer(.accepted)).prepared()
    }

    func admits(_ client: IPAddress?) -> Bool {
        guard !allow.isEmpty else { return true }
        guard let client else { return false }
        return allow.contains { $0.contains(client) }
    }

    /// Whether a message without a signature is accepted for verification.
    func takesUnsigned(from client: IPAddress?) -> Bool {
        guard !unsignedFrom.isEmpty, let client else { return false }
        return unsignedFrom.contains { $0.contains(client) }
    }
}

/// Finds the endpoint of a path. Paths match byte for byte: the provider signs the path as it sends
/// it, so another spelling of it could not be verified.
package struct EndpointTable: Sendable {
    /// The endpoints in the configuration's order. For a few of them, a scan that compares lengths
    /// first is cheaper than hashing the path.
    package let endpoints: [Endpoint]
    /// The systems whose notifications are recognised at an unknown path.
    let providers: ProviderCatalog
    /// Bytes of a body that are inspected at an unknown path for the marks of a notification.
    let inspectedBytesMax: Int

    package init(
        _ endpoints: [Endpoint], providers: ProviderCatalog = .written, inspectedBytesMax: Int
    ) {
        self.endpoints = endpoints
        self.providers = providers
        self.inspectedBytesMax = inspectedBytesMax
    }

    subscript(path: ArraySlice<UInt8>) -> Endpoint? {
        for endpoint in endpoints
        where endpoint.path.count == path.count && endpoint.path[...] == path {
            return endpoint
        }
        return nil
    }
}

/// One endpoint's counters. A count is an atomic addition, without a lock.
package final class EndpointCounters: Sendable {
    private let recorded = Atomic<Int>(0)
    private let duplicate = Atomic<Int>(0)
    private let conflict = Atomic<Int>(0)
    private let ignored = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)
    private let unavailable = Atomic<Int>(0)
    private let misdirected = Atomic<Int>(0)
    private let cardNumbers = Atomic<Int>(0)
    private let securityCodes = Atomic<Int>(0)
    private let redactedValues = Atomic<Int>(0)
    /// Time of the newest accepted notification in microseconds; 0 before the first.
    private let accepted = Atomic<Int64>(0)
    /// Acknowledgement times in microseconds.
    let latency = Histogram(bounds: [
        100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
        1_000_000, 5_000_000,
    ])

    init() {}

    /// Counts one request that was answered `micros` microseconds after it was parsed.
    func count(_ outcome: Outcome, micros: UInt64) {
        latency.add(Int(clamping: micros))
        count(outcome)
    }

    /// Counts one event of a request that reported several.
    func count(_ outcome: Outcome) {
        switch outcome {
        case .recorded: recorded.wrappingAdd(1, ordering: .relaxed)
        case .duplicate: duplicate.wrappingAdd(1, ordering: .relaxed)
        case .conflict: conflict.wrappingAdd(1, ordering: .relaxed)
        case .ignored: ignored.wrappingAdd(1, ordering: .relaxed)
        case .refused: refused.wrappingAdd(1, ordering: .relaxed)
        case .unavailable: unavailable.wrappingAdd(1, ordering: .relaxed)
        }
    }

    /// Records that a notification received at `time` was acknowledged. Repetitions count, too.
    func noteAccepted(at time: Timestamp) {
        accepted.max(time.microseconds, ordering: .relaxed)
    }

    /// When the newest acknowledged notification was received; nil if none was since the start.
    package var lastAccepted: Timestamp? {
        let microseconds = accepted.load(ordering: .relaxed)
        return microseconds > 0 ? Timestamp(microseconds: microseconds) : nil
    }

    /// Counts a request to an unknown path that was probably meant for this endpoint.
    func countMisdirected() { misdirected.wrappingAdd(1, ordering: .relaxed) }

    /// Number of requests that ``countMisdirected()`` counted.
    var misdirectedCount: Int { misdirected.load(ordering: .relaxed) }

    /// Counts what was removed from a verified request before it was stored.
    func count(_ mark: RedactionMark) {
        cardNumbers.wrappingAdd(mark.cards, ordering: .relaxed)
        securityCodes.wrappingAdd(mark.codes, ordering: .relaxed)
        redactedValues.wrappingAdd(mark.values, ordering: .relaxed)
    }

    /// The sums of ``count(_:)``.
    package var removed: (cards: Int, codes: Int, values: Int) {
        (
            cardNumbers.load(ordering: .relaxed), securityCodes.load(ordering: .relaxed),
            redactedValues.load(ordering: .relaxed)
        )
    }

    /// Number of events with this outcome. A request that was refused counts as one.
    package func value(_ outcome: Outcome) -> Int {
        switch outcome {
        case .recorded: recorded.load(ordering: .relaxed)
        case .duplicate: duplicate.load(ordering: .relaxed)
        case .conflict: conflict.load(ordering: .relaxed)
        case .ignored: ignored.load(ordering: .relaxed)
        case .refused: refused.load(ordering: .relaxed)
        case .unavailable: unavailable.load(ordering: .relaxed)
        }
    }
}
