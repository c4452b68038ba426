import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// Compares the responder's answers, the inquirer's findings, the notifications and the books of
/// the same life.
@Suite struct ResponderTests {
    static let lives: [(name: String, types: [EventType])] = [
        ("paid", [.paid]), ("pending", [.pending]), ("failed", [.failed]),
        ("captured", [.authorized, .captured]), ("authorized", [.authorized]),
        ("refunded", [.paid, .refunded]), ("chargedBack", [.paid, .chargedBack]),
        ("disputed", [.pending, .paid, .disputed]), ("canceled", [.canceled]),
        ("refundFailed", [.paid, .refundFailed]), ("captureFailed", [.authorized, .captureFailed]),
    ]

    static let cases = ProviderFixture.inquired.flatMap { system in
        lives.indices.map { (system, $0) }
    }

    /// Answers alone, notifications alone, and both in both orders give the same order.
    @Test(arguments: cases)
    func `answers and notifications tell one truth`(_ system: ProviderFixture, _ index: Int) throws
    {
        let world = try RespondingWorld(system)
        let impossible = try #require(system.inquiry).impossibleLives
        if impossible.contains(Self.lives[index].name) { return }
        guard let life = try world.life(Self.lives[index].types) else { return }
        let truth = SampleState(life)
        let told = try world.notifications(life)
        #expect(try world.complaints(told, truth).isEmpty, "notifications")
        let finding = try world.ask(life)
        #expect(finding.verdict == .answered, "\(finding)")
        let facts = finding.facts.map(\.notification)
        #expect(try world.complaints(told + facts, truth).isEmpty, "notifications first")
        #expect(try world.complaints(facts + told, truth).isEmpty, "answer first")
        guard life.events.allSatisfy({ world.responder.reports($0, of: life) }) else { return }
        #expect(try world.complaints(facts, truth).isEmpty, "the answer alone")
    }

    static let asking = ProviderFixture.all.filter {
        $0.descriptor.inquiry?.knowsReferences == true
    }

    /// Each fact stands in the one answer that its record keeps.
    @Test(arguments: asking)
    func `every fact is read again from its record`(_ system: ProviderFixture) throws {
        let world = try RespondingWorld(system)
        var facts = 0
        for (_, types) in Self.lives {
            guard let life = try world.life(types) else { continue }
            facts += try world.ask(life).facts.count
        }
        #expect(facts > 2)
    }

    /// Two attempts under one reference: the answer reports the later one, or both.
    @Test(arguments: ProviderFixture.inquired)
    func `a second try is answered`(_ system: ProviderFixture) throws {
        let world = try RespondingWorld(system)
        var life = SampleLife(reference: "R-1")
        for (number, type) in [EventType.failed, .paid].enumerated() {
            var event = SampleEvent.sample(type, reference: "R-1", number: number + 1)
            event.transaction = "T\(number + 1)"
            life.append(event)
        }
        let facts = try world.ask(life).facts.map(\.notification)
        let lost = life.events.filter { world.responder.reports($0, of: life) }
        #expect(lost.contains { $0.type == .paid })
        let told = try world.notifications(
            SampleLife(reference: "R-1", events: life.events.filter { !lost.contains($0) }))
        #expect(try world.complaints(told + facts, SampleState(life)).isEmpty)
    }

    @Test(arguments: ProviderFixture.inquired)
    func `what is not known is absent`(_ system: ProviderFixture) throws {
        let world = try RespondingWorld(system)
        #expect(try world.ask(SampleLife(reference: "R-1")).verdict == .absent)
        #expect(try world.ask(nil).verdict == .absent)
    }

    /// The credentials of another account are refused, and no fact is disclosed.
    @Test(arguments: ProviderFixture.inquired)
    func `a stranger is told nothing`(_ system: ProviderFixture) throws {
        let world = try RespondingWorld(system)
        let life = try #require(try world.life([.paid]))
        let stranger = try RespondingWorld(system, isStranger: true)
        let finding = try world.ask(life, as: stranger.inquirer)
        #expect(finding.verdict == .denied && finding.facts.isEmpty, "\(finding)")
    }

    /// After a token of Citcon UPI expires, the next question fetches another one.
    @Test func `a token ends and is fetched anew`() throws {
        let world = try RespondingWorld(.citconUPI)
        let life = try #require(try world.life([.paid]))
        let first = try world.ask(life, speed: 1)
        let token = try #require(first.token)
        let seconds = (token.expires.microseconds - world.now.microseconds) / 1_000_000
        #expect(seconds == 86_400 - CitconUPIInquirer.tokenMarginSeconds)
        let late = Timestamp(microseconds: token.expires.microseconds - 1)
        let again = try world.ask(life, token: token, now: late)
        #expect(again.verdict == .answered && again.token == token)
        // On a faster clock the token expires before its nominal day has passed.
        let fast = try world.ask(
            life, token: try world.ask(life, speed: 100_000).token, now: late)
        #expect(fast.verdict == .answered && fast.token != token)
    }

    @Test func `the report of the platform has a third version and single transactions`() throws {
        let world = try RespondingWorld(.openPaymentPlatform, report: .v3)
        let life = try #require(try world.life([.paid, .refunded]))
        #expect(try world.ask(life).facts.count == 2)
        let transaction = life.events[0].transaction
        let one = try world.ask(life, by: .transaction, transaction)
        #expect(one.verdict == .answered && one.facts.count == 1)
        #expect(try world.ask(life, by: .checkout, "C").verdict == .absent)
    }
}

/// The provider's and the merchant's side with the keys of both.
struct RespondingWorld {
    let provider: any Provider
    let sender: any Sender
    let inquirer: any Inquirer
    let responder: any Responder
    let now = Timestamp(microseconds: 1_790_000_000_000_000)

    init(
        _ system: ProviderFixture, isStranger: Bool = false,
        report: OpenPaymentPlatform.Report? = nil
    ) throws {
        let descriptor = system.descriptor
        let inquiry = try #require(descriptor.inquiry)
        var settings = isStranger ? system.endpoint.foreign : system.endpoint.settings
        if let report { settings["report", .inquiry] = report.settingValue }
        provider = try descriptor.make(settings)
        sender = try descriptor.makeSender(settings)
        inquirer = try inquiry.make(settings)
        responder = try inquiry.makeResponder(settings)
    }

    /// Returns nil if the provider has no notification for one of the events.
    func life(_ types: [EventType]) throws -> SampleLife? {
        var life = SampleLife(reference: "R-1")
        for (number, type) in types.enumerated() {
            let event = SampleEvent.sample(type, reference: "R-1", number: number + 1)
            do { _ = try sender.sign(event, path: "/ipn") } catch { return nil }
            life.append(event)
        }
        return life
    }

    func notifications(_ life: SampleLife) throws -> [Notification] {
        try life.events.map { event in
            // Some sign the time, which is only accepted for minutes.
            let delivery = try sender.sign(event, path: "/ipn")
                .delivery(received: event.occurred)
            return Self.interpret(delivery, provider)
        }
    }

    private static func interpret<System: Provider>(
        _ delivery: SignedRequest, _ provider: System
    ) -> Notification {
        guard let verified = try? provider.verify(delivery) else {
            return Notification(id: "", kind: "refused", status: "refused")
        }
        return provider.interpret(verified.evidence)
    }

    func ask(
        _ life: SampleLife?, by name: InquiryQuestion.Name = .reference, _ value: String = "R-1",
        as inquirer: (any Inquirer)? = nil, token: InquiryToken? = nil, now: Timestamp? = nil,
        speed: Double = 1
    ) throws -> InquiryFinding {
        let now = now ?? self.now
        let inquirer = inquirer ?? self.inquirer
        var conversation = InquiryConversation(
            InquiryQuestion(by: name, value, reference: "R-1"), token: token)
        for _ in 0..<10 {
            switch try inquirer.next(conversation, now: now) {
            case .found(let finding):
                for fact in finding.facts { expectReread(fact, conversation, inquirer) }
                return finding
            case .ask(let request):
                #expect(responder.serves(request))
                let answer = responder.answer(
                    request, at: ResponderMoment(now: now, speed: speed)
                ) { name, value in
                    guard let life else { return nil }
                    let isIt =
                        name == .reference
                        ? life.reference == value
                        : life.events.contains {
                            $0.transaction == value || $0.actionID == value
                        }
                    return isIt ? life : nil
                }
                conversation.append(InquiryExchange(request, answer))
            }
        }
        throw InquiryError.signingFailed
    }

    /// `ipnd journal reread` finds the fact again in the one answer that its record keeps.
    private func expectReread(
        _ fact: InquiryFact, _ conversation: InquiryConversation, _ inquirer: any Inquirer
    ) {
        var known = fact.notification
        known.kind = Notification.inquiryKind
        #expect(inquirer.reread(known, in: conversation.exchanges[fact.exchange]) == known)
    }

    /// The differences between the order after `notifications` and the books.
    func complaints(_ notifications: [Notification], _ truth: SampleState) throws -> [String] {
        let order = notifications.reduce(Order(reference: "R-1")) { $0.applying($1) }
        let summary = order.summary
        var complaints: [String] = []
        func compare(_ what: String, _ have: some Equatable, _ want: some Equatable) {
            if "\(have)" != "\(want)" { complaints.append("\(what): \(have), not \(want)") }
        }
        compare("status", summary.status, truth.status)
        compare("captured", summary.captured?.minor ?? 0, truth.captured)
        compare("refunded", summary.refunded?.minor ?? 0, truth.refunded)
        compare("authorized", summary.authorized?.minor ?? 0, truth.authorized)
        // A capture of ecommpay's names no payment, so it is a separate attempt and the named one
        // is unchanged.
        let named = order.attempts.filter { !$0.transaction.isEmpty }
        let isLoose = named.count < order.attempts.count
        compare("attempts", named.map(\.transaction).count, truth.attempts.count)
        for (have, want) in zip(named, truth.attempts) {
            let taken = isLoose && have.status == .authorized && want.status == .paid
            if !taken { compare("attempt", have.status?.name ?? "", want.status.name) }
        }
        let flags = summary.flags.filter { $0 != .captureFailed }
        if !flags.isEmpty { complaints.append("flags: \(flags)") }
        return complaints
    }
}
