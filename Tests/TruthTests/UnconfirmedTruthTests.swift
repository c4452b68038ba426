import Payments
import ProviderFixtures
import TestSupport
import Testing

@testable import Providers

/// Notifications that prove nothing alone, some of them forged, and PayPal's answers about them:
/// no order is silently wrong at any time, and honest ones come to what the books say.
@Suite struct UnconfirmedTruthTests {
    private static let seeds: Range<UInt64> = 0..<1500

    @Test func `no sum and no status is silently wrong`() throws {
        var (paid, doubted, forgeries) = (0, 0, 0)
        for seed in Effort.share(of: Self.seeds) {
            var world = try World(seed: seed)
            try world.play()
            #expect(world.complaints == [], "seed \(seed)")
            paid += world.paid
            doubted += world.doubted
            forgeries += world.forgeries
        }
        // The model plays all of it.
        #expect(paid > 0 && doubted > 0 && forgeries > 0)
    }
}

/// One resource in PayPal's books, or in a notification about it.
private struct Entry {
    var kind: PayPalResource
    var id: String
    var status: String
    var minor: Int64
    /// Nil for a capture whose authorization has it, and for payments that are no order of ours.
    var reference: String?
    var authorization: String?

    private var value: String { Money(minor: minor, currency: Money.sampleCurrency).decimal }

    var json: String {
        let own = reference.map { #","custom_id":"\#($0)""# } ?? ""
        let up =
            authorization.map {
                #","links":[{"rel":"up","href":"https://api.paypal.com/v2/payments/"#
                    + #"authorizations/\#($0)"}]"#
            } ?? ""
        return #"{"id":"\#(id)","status":"\#(status)","#
            + #""amount":{"currency_code":"EUR","value":"\#(value)"}\#(own)\#(up)}"#
    }

    var type: String {
        if kind == .authorization { return "PAYMENT.AUTHORIZATION.CREATED" }
        return switch status {
        case "PENDING": "PAYMENT.CAPTURE.PENDING"
        case "DECLINED": "PAYMENT.CAPTURE.DECLINED"
        default: "PAYMENT.CAPTURE.COMPLETED"
        }
    }
}

private struct World {
    private(set) var complaints: [String] = []
    private(set) var paid = 0
    private(set) var doubted = 0
    private(set) var forgeries = 0

    private var generator: SeededGenerator
    private var ledger = TruthLedger()
    private let inquirer: PayPalInquirer
    private var books: [Entry] = []
    private var told: [Notification] = []
    /// References and ids that a forgery names.
    private var touched: Set<String> = []

    private static let references = ["R-1", "R-2", "R-3"]

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        inquirer = try PayPalInquirer(
            settings: EndpointSettings(
                name: "paypal", inquiry: ["clientID": "id", "clientSecret": "secret"]))
        for reference in Self.references { keepBooks(reference) }
        // A payment of the same account that names no order.
        books.append(
            Entry(kind: .capture, id: "N-C", status: "COMPLETED", minor: 700, reference: nil))
        for entry in books { told.append(told(entry)) }
        if generator.once(in: 2) {
            for _ in 0..<Int.random(in: 1...3, using: &generator) { forge() }
        }
    }

    private mutating func keepBooks(_ reference: String) {
        let minor = Int64.random(in: 2...999, using: &generator)
        if generator.once(in: 3) {
            books.append(
                Entry(
                    kind: .authorization, id: "\(reference)-A", status: "CREATED", minor: minor,
                    reference: reference))
            for number in 0..<Int.random(in: 0...2, using: &generator) {
                books.append(
                    Entry(
                        kind: .capture, id: "\(reference)-C\(number)",
                        status: generator.pick(["COMPLETED", "COMPLETED", "DECLINED"]),
                        minor: minor / 2, reference: nil, authorization: "\(reference)-A"))
            }
        } else {
            let status = generator.pick(["COMPLETED", "COMPLETED", "PENDING", "DECLINED"])
            books.append(
                Entry(
                    kind: .capture, id: "\(reference)-C", status: status, minor: minor,
                    reference: reference))
        }
    }

    private mutating func told(_ entry: Entry, number: String = "") -> Notification {
        let body =
            #"{"id":"WH-\#(entry.id)\#(number)","event_type":"\#(entry.type)","#
            + #""resource":\#(entry.json)}"#
        return PayPalInterpretation.notification(
            PayPalEvidence(body: Array(body.utf8)), reference: [.customID], mode: .live,
            isAsked: true)
    }

    /// Another body for a genuine transmission, which then never comes itself.
    private mutating func forge() {
        forgeries += 1
        let place = Int.random(in: books.indices, using: &generator)
        var entry = books[place]
        touch(entry)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: entry.minor = Int64.random(in: 1...99_999, using: &generator)
        case 1: entry.reference = generator.pick(Self.references + ["R-9"])
        case 2: entry.id = generator.pick(books.map(\.id) + ["X-1"])
        case 3: entry.status = "COMPLETED"
        default: entry.authorization = generator.pick(["R-1-A", "R-2-A", "X-A", "R-3-C"])
        }
        if generator.once(in: 3) { entry.minor = Int64.random(in: 1...99_999, using: &generator) }
        touch(entry)
        told[place] = told(entry, number: "-\(forgeries)")
    }

    private mutating func touch(_ entry: Entry) {
        let names = [entry.id, entry.reference, entry.authorization].compactMap(\.self)
        touched.formUnion(Self.references.filter { own in names.contains { $0.hasPrefix(own) } })
    }

    mutating func play() throws {
        var arrivals = told + told.filter { _ in Bool.random(using: &generator) }
        arrivals.shuffle(using: &generator)
        for notification in arrivals {
            ledger.record(notification, isLast: true)
            check()
            if generator.once(in: 3) { try ask(generator.pick(Self.references)) }
        }
        for _ in 0..<3 {
            for reference in Self.references + ["R-9"] { try ask(reference) }
        }
        checkEnd()
    }

    // MARK: Answers

    private mutating func ask(_ reference: String) throws {
        guard let order = order(reference) else { return }
        let captures = order.attempts.flatMap { $0.captures.map(\.id) }
        for id in (order.paymentIDs + captures).shuffled(using: &generator) {
            var conversation = InquiryConversation(
                InquiryQuestion(by: .transaction, id, reference: order.reference),
                token: InquiryToken("t", expires: Timestamp(microseconds: .max)))
            while true {
                switch try inquirer.next(conversation, now: Timestamp(microseconds: 0)) {
                case .found(let finding):
                    for fact in finding.facts {
                        ledger.record(fact.notification, isLast: true)
                        check()
                    }
                case .ask(let request):
                    let asked = PayPalInquirer.asked(request)
                    let entry = books.first { $0.kind == asked?.kind && $0.id == asked?.id }
                    conversation.append(
                        InquiryExchange(
                            request,
                            InquiryAnswer(
                                status: entry == nil ? 404 : 200, headers: [],
                                body: Array(
                                    (entry?.json ?? #"{"name":"RESOURCE_NOT_FOUND"}"#).utf8),
                                received: Timestamp(microseconds: 0))))
                    continue
                }
                break
            }
        }
    }

    // MARK: Truth

    /// The order with this reference as its own, as `GET /orders` finds it.
    private func order(_ reference: String) -> Order? {
        ledger.order(reference).flatMap { $0.isKnown(as: reference) ? $0 : nil }
    }

    private func truth(_ reference: String) -> (authorized: Int64, captured: Int64) {
        let held = books.filter { $0.reference == reference && $0.kind == .authorization }
        let taken = books.filter { entry in
            entry.kind == .capture && entry.status == "COMPLETED"
                && (entry.reference == reference
                    || held.contains { $0.id == entry.authorization })
        }
        let sum = taken.reduce(Int64(0)) { $0 + $1.minor }
        let direct = taken.filter { $0.authorization == nil }.reduce(Int64(0)) { $0 + $1.minor }
        return (held.reduce(direct) { $0 + $1.minor }, sum)
    }

    /// No order has more than the books say, unless a person is to decide.
    private mutating func check() {
        for reference in Self.references + ["R-9"] {
            guard let summary = order(reference)?.summary, summary.status != .review else {
                continue
            }
            let truth = truth(reference)
            let isMore =
                summary.captured?.minor ?? 0 > truth.captured
                || (summary.authorized?.minor ?? 0) > truth.authorized
            if isMore { complaints.append("\(reference): \(summary), but \(truth)") }
        }
    }

    private mutating func checkEnd() {
        for reference in Self.references {
            let summary = order(reference)?.summary
            let truth = truth(reference)
            if summary?.status == .paid { paid += 1 }
            if summary?.flags.contains(.unconfirmed) ?? false { doubted += 1 }
            guard !touched.contains(reference) else { continue }
            let isRight =
                summary?.captured?.minor ?? 0 == truth.captured
                && summary?.authorized?.minor ?? 0 == truth.authorized
                && summary?.flags.contains(.unconfirmed) == false
                && (summary?.status == .paid) == (truth.captured > 0)
            if !isRight { complaints.append("\(reference): \(summary as Any), not \(truth)") }
        }
    }
}
