import Journal
import JournalStore
import Payments
import Platform
import Providers
import Receiver
import Records
import Sealing
import ServerConfiguration

/// Reads the notifications and the answers of a journal or a database once more, by today's rules,
/// from the bytes that it keeps.
struct Rereading {
    private let endpoints: [String: EndpointConfiguration]
    private let time: Timestamp
    /// The notifications in the corrections that it holds, by the sequence that they correct.
    private var corrected: [UInt64: Notification] = [:]
    /// The notifications and answers that were looked at.
    private(set) var records = 0
    /// Those whose endpoint or key is no longer configured.
    private(set) var unread = 0
    /// The events that are read differently.
    private(set) var corrections: [Correction] = []

    /// - Parameter time: When corrections are made.
    init(_ configuration: Configuration, at time: Timestamp) {
        self.time = time
        endpoints = Dictionary(
            configuration.endpoints.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Reads all of `records`; `report` gets a line for each record that is read differently, or
    /// that cannot be read again.
    mutating func run(_ records: some RereadRecords, report: (String) -> Void) throws {
        try records.forEach { record in
            let event = try RecordDecoder.event(record)
            if let sequence = event.corrects { corrected[sequence] = event.notification }
        }
        var requests = RequestFinder()
        try records.forEach { record in
            let event = try RecordDecoder.event(record)
            guard event.isReceived || event.isInquiry else { return }
            let sequence = event.sequence
            self.records += 1
            let request = try requests.request(of: event, record)
            let now = event.isInquiry ? try ask(event, record) : reread(event, request)
            guard let read = now else {
                unread += 1
                switch try PersonalPart(of: record) {
                case .erased:
                    return report(
                        "\(sequence) \(event.endpoint): it was erased, so its reading stays")
                case .sealed:
                    return report(
                        "\(sequence) \(event.endpoint): it is sealed; add `personal.masterKeys`")
                case .open: break
                }
                if request?.redaction != nil {
                    return report(
                        "\(sequence) \(event.endpoint): parts of its request were removed before "
                            + "it was stored, so its reading stays")
                }
                return report(
                    event.isInquiry
                        ? "\(sequence) \(event.endpoint): its endpoint has no `inquiry` any more, "
                            + "or its answer no longer says so"
                        : "\(sequence) \(event.endpoint): its endpoint or key is no longer "
                            + "configured" + (request == nil ? ", or its request is gone" : "")
                )
            }
            let known = corrected[sequence] ?? event.notification
            guard Correction.isNeeded(of: known, to: read) else { return }
            report("\(sequence) \(event.endpoint): \(Self.difference(known, read))")
            corrections.append(
                Correction(
                    sequence: sequence, endpoint: event.endpoint, provider: event.provider,
                    key: event.key, notification: read, received: time))
        }
    }

    /// The reading of a record by today's rules; nil where the configuration cannot verify it, or
    /// its request is gone.
    private func reread(_ event: RecordedEvent, _ request: RecordedRequest?) -> Notification? {
        guard let endpoint = endpoints[event.endpoint], endpoint.system == event.provider,
            let request
        else { return nil }
        // A signed time was judged when it came in, and so was the network.
        var delivery = SignedRequest(
            request, publicPath: endpoint.publicPath, received: event.received)
        delivery.isFromNamedNetwork = event.key == UnsignedDelivery.key
        return Self.interpret(delivery, endpoint.provider, as: event)
    }

    /// Reads the answer that a record keeps by today's rules; nil where they find none of it.
    private func ask(
        _ event: RecordedEvent, _ record: UnsafeRawBufferPointer
    ) throws -> Notification? {
        guard let endpoint = endpoints[event.endpoint], endpoint.system == event.provider,
            let inquirer = endpoint.inquiry?.inquirer, try PersonalPart(of: record) == .open
        else { return nil }
        let (request, inquiry) = try RecordDecoder.inquiry(record)
        guard event.notification.isInquiry else {
            // An entry of the provider's list of events.
            let listed = endpoint.inquiry?.lister?.notifications(in: inquiry.body) ?? []
            return listed.first { $0.id.isExactly(event.notification.id) } ?? listed.first
        }
        let exchange = InquiryExchange(
            InquiryRequest(
                method: request.method,
                target: String(decoding: request.target, as: UTF8.self),
                headers: request.headers, body: request.body),
            InquiryAnswer(
                status: inquiry.status, headers: inquiry.headers, body: inquiry.body,
                received: event.received))
        return inquirer.reread(event.notification, in: exchange)
    }

    /// The event of the request that `event` recorded: the one of the same number, unless only
    /// another one has the same identity.
    private static func interpret(
        _ delivery: SignedRequest, _ provider: some Provider, as event: RecordedEvent
    ) -> Notification? {
        guard let verified = try? provider.verify(delivery) else { return nil }
        let read = provider.notifications(in: verified.evidence)
        let number = event.part?.number ?? 1
        let same = number <= read.count ? read[number - 1] : nil
        let id = event.notification.id
        if let same, same.id.isExactly(id) { return same }
        return read.first { $0.id.isExactly(id) } ?? same
    }

    /// The members that differ, each as it was and is.
    private static func difference(_ known: Notification, _ read: Notification) -> String {
        let all: [(String, String, String)] = [
            ("kind", known.kind, known.kind == Correction.kind ? known.kind : read.kind),
            ("status", known.status, read.status),
            ("reference", known.reference ?? "none", read.reference ?? "none"),
            ("alias", known.alias ?? "none", read.alias ?? "none"),
            ("transaction", known.transaction ?? "none", read.transaction ?? "none"),
            ("effect", known.effect.summary, read.effect.summary),
            ("ids", known.ids.rawValue, read.ids.rawValue),
            ("refunded at least", text(known.refundedAtLeast), text(read.refundedAtLeast)),
            ("reason", known.reason?.code ?? "none", read.reason?.code ?? "none"),
            ("method", known.method ?? "none", read.method ?? "none"),
            ("agreement", known.agreement ?? "none", read.agreement ?? "none"),
            ("flags", text(known.flags), text(read.flags)), ("id", known.id, read.id),
        ]
        return all.filter { $0.1 != $0.2 }.map { "\($0.0) \($0.1) -> \($0.2)" }
            .joined(separator: "; ")
    }

    private static func text(_ money: Money?) -> String { money.map { "\($0)" } ?? "nothing" }

    private static func text(_ flags: [Flag]) -> String {
        flags.isEmpty ? "none" : flags.map(\.rawValue).joined(separator: ",")
    }
}

/// Where the records are that are read again: the same ones each time, in their order.
protocol RereadRecords {
    func forEach(_ visit: (UnsafeRawBufferPointer) throws -> Void) throws
}

/// Those of the journal in a directory.
struct RereadJournal: RereadRecords {
    let directory: String
    /// The keys that open sealed records.
    let masterKeys: [MasterKey]

    func forEach(_ visit: (UnsafeRawBufferPointer) throws -> Void) throws {
        var reader = try JournalReader(directory: directory)
        var opener = try SealedJournal.opener(directory, masterKeys)
        _ = try reader.read { _, record in
            guard let opened = try opener?.open(record) else { return try visit(record) }
            try opened.withUnsafeBytes { try visit($0) }
        }
    }
}

extension Effect {
    /// In a few words: `attempt paid 42.00 MYR`.
    fileprivate var summary: String {
        let parts: [String?] =
            switch self {
            case .attempt(let status, let amount): ["attempt", status.name, amount?.description]
            case .capture(_, let status, let amount): ["capture", status.name, amount?.description]
            case .refund(_, let status, let amount): ["refund", status.name, amount?.description]
            case .unclearRefund(_, let status, let claim):
                [
                    "unclear refund", status.name, claim.amount?.description,
                    claim.refunded.map { "refunded \($0)" },
                ]
            case .dispute(_, let status, let amount): ["dispute", status.name, amount?.description]
            case .reversal(let kind, _, let status, let amount):
                ["reversal of \(kind.name)", status.name, amount?.description]
            case .doubt: ["doubt"]
            case .none: ["none"]
            }
        return parts.compactMap(\.self).joined(separator: " ")
    }
}
