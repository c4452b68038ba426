import JournalStore
import Payments
import Platform
import Providers
import Store
import TestSupport
import Testing

@testable import Inquiry

/// A merchant whose server is away from time to time, on a clock that the test moves.
private final class AwayShop {
    let clock = ManualClock()
    let provider: ListedProvider
    let merchant: Merchant
    let marks = KeptMarks()
    let isAccepting = Box(true)
    let identity = Box("store-1")
    private let told = Box<[BackfillNotice]>([])
    private var schedulers: [BackfillScheduler] = []

    static let gapSeconds = 600.0

    init() throws {
        provider = ListedProvider(clock)
        merchant = try Merchant()
    }

    @discardableResult
    func start(turns: any InquiryTurns = OnlyInstance()) -> BackfillScheduler {
        var target = merchant.target
        target.lister = SimpleLister()
        target.backfillAfterGapSeconds = Self.gapSeconds
        let service = InquiryService(
            [target], store: merchant.store, transport: provider, clock: clock)
        let scheduler = BackfillScheduler(
            service,
            in: BackfillSurroundings(
                marks: marks, turns: turns, store: { [identity] in identity.get() },
                isAccepting: { [isAccepting] in isAccepting.get() }),
            clock: clock
        ) { [told] _, notice in told.update { $0.append(notice) } }
        schedulers.append(scheduler)
        return scheduler
    }

    var notices: [BackfillNotice] { told.get() }

    func finished(_ times: Int = 1) -> Bool {
        notices.count { if case .finished = $0 { true } else { false } } == times
    }

    func arePaid(_ references: [String]) async -> Bool {
        for reference in references where await merchant.order(reference)?.status != .paid {
            return false
        }
        return true
    }

    /// Passes `seconds` in steps of a minute, at each of which the provider has an event.
    func pass(minutes: Int, _ name: String) -> [String] {
        (1...minutes).map { minute in
            clock.advance(seconds: 60)
            provider.happens("\(name)-\(minute)")
            return "\(name)-\(minute)"
        }
    }

    /// Runs until the mark covers the present time.
    func isCovered() async -> Bool {
        await clock.reaches { [clock, marks] in
            let mark = marks.mark.flatMap { BackfillMark($0) }
            return mark?.covered.microseconds ?? 0 > clock.wallMicroseconds - 60_000_000
        }
    }

    func close() async {
        for scheduler in schedulers { await scheduler.stop() }
        await merchant.store.close()
    }
}

/// A server that was away reads what happened meanwhile.
@Suite struct BackfillTests {
    @Test func `what happened before the first start is left alone`() async throws {
        let shop = try AwayShop()
        _ = shop.pass(minutes: 30, "A")
        shop.start()
        #expect(await shop.isCovered())
        #expect(shop.provider.requests.isEmpty && shop.notices.isEmpty)
        await shop.close()
    }

    @Test func `a gap is read, and a short pause is not`() async throws {
        let shop = try AwayShop()
        let first = shop.start()
        #expect(await shop.isCovered())
        await first.stop()
        _ = shop.pass(minutes: 8, "short")
        let second = shop.start()
        #expect(await shop.isCovered())
        await second.stop()
        #expect(shop.provider.requests.isEmpty)

        let before = shop.clock.wallMicroseconds
        let lost = shop.pass(minutes: 12, "long")
        let third = shop.start()
        #expect(await shop.clock.reaches { shop.finished() })
        #expect(await shop.arePaid(lost))
        // An hour before, too: it may have been sent into the gap.
        let since = try #require(shop.provider.requests.first?.since)
        #expect((before - 3_700_000_000...before - 3_600_000_000).contains(since))
        #expect(shop.notices.count == 2)
        guard case .finished(let report) = shop.notices.last else { return }
        #expect(report.read == 20 && report.recorded == ["payment": 20])
        #expect(await third.statuses().first?.openSeconds == 0)
        #expect(await third.statuses().first?.recorded == 20)
        await shop.close()
    }

    /// No restart: the disk was full.
    @Test func `notifications that were refused are read when there is room`() async throws {
        let shop = try AwayShop()
        shop.start()
        #expect(await shop.isCovered())
        shop.isAccepting.set(false)
        shop.provider.happens("full-1")
        let start = shop.clock.now
        // It looks all the time, and sees that nothing can be recorded.
        #expect(
            await shop.clock.reaches {
                shop.clock.now.nanoseconds(since: start) > 900_000_000_000
            })
        #expect(shop.provider.requests.isEmpty)
        let lost = ["full-1"]
        shop.isAccepting.set(true)
        #expect(await shop.clock.reaches { shop.finished() })
        #expect(await shop.arePaid(lost))
        await shop.close()
    }

    @Test func `a restart in the middle goes on`() async throws {
        let shop = try AwayShop()
        let first = shop.start()
        #expect(await shop.isCovered())
        await first.stop()
        let lost = shop.pass(minutes: 30, "long")
        shop.provider.goAway(afterPages: 4)
        let second = shop.start()
        #expect(
            await shop.clock.reaches {
                shop.notices.contains(.failed(reason: "connect_refused", detail: "away"))
            })
        #expect(await !shop.arePaid(lost))
        #expect(await second.statuses().first?.trouble == "connect_refused")
        // The mark is written at the next look.
        let asked = shop.provider.requests.count
        #expect(await shop.clock.reaches { shop.provider.requests.count > asked + 2 })
        await second.stop()
        let until = shop.clock.wallMicroseconds
        shop.provider.comeBack()
        shop.start()
        let gap = shop.provider.requests[0].until
        #expect(await shop.clock.reaches { shop.finished() })
        #expect(await shop.arePaid(lost))
        // The pages that were read are not read again, and there is no other gap.
        let resumed = try #require(
            shop.provider.requests.first { $0.until < gap - 120_000_000 }?.until)
        #expect(resumed < until)
        #expect(shop.notices.count { if case .failed = $0 { true } else { false } } == 1)
        await shop.close()
    }

    @Test func `a provider that is away is asked at growing intervals`() async throws {
        let shop = try AwayShop()
        let first = shop.start()
        #expect(await shop.isCovered())
        await first.stop()
        let lost = shop.pass(minutes: 12, "long")
        shop.provider.goAway()
        shop.start()
        #expect(await shop.clock.reaches { shop.provider.requests.count == 9 })
        let times = shop.provider.requests.map(\.time)
        let pauses = zip(times, times.dropFirst()).map {
            Double($1.nanoseconds(since: $0)) / 1e9
        }
        for (pause, least) in zip(pauses, [30.0, 60, 120, 240, 480, 960, 1800, 1800]) {
            #expect(pause >= least)
        }
        shop.provider.comeBack()
        #expect(await shop.clock.reaches { shop.finished() })
        #expect(await shop.arePaid(lost))
        await shop.close()
    }

    @Test func `a store that was lost is filled from all that is listed`() async throws {
        let shop = try AwayShop()
        let lost = shop.pass(minutes: 5, "early")
        let first = shop.start()
        #expect(await shop.isCovered())
        await first.stop()
        shop.identity.set("store-2")
        shop.start()
        #expect(await shop.clock.reaches { shop.finished() })
        #expect(await shop.arePaid(lost))
        #expect(shop.notices.contains(.tooOld(daysMax: 30)))
        await shop.close()
    }

    @Test func `a mark that cannot be kept is reported once`() async throws {
        let shop = try AwayShop()
        shop.marks.fail("read-only")
        let scheduler = shop.start()
        #expect(await shop.clock.reaches { shop.notices == [.unmarked("read-only")] })
        let start = shop.clock.now
        #expect(
            await shop.clock.reaches {
                shop.clock.now.nanoseconds(since: start) > 300_000_000_000
            })
        #expect(shop.notices == [.unmarked("read-only")])
        #expect(await scheduler.statuses().first?.trouble == "read-only")
        shop.marks.fail(nil)
        #expect(await shop.isCovered())
        await shop.close()
    }

    @Test func `one of two instances reads, and the other takes over`() async throws {
        let shop = try AwayShop()
        let table = LeaseTable(shop.clock)
        let first = shop.start(turns: table.turns(of: 1))
        #expect(await shop.isCovered())
        let second = shop.start(turns: table.turns(of: 2))
        #expect(await second.statuses().first?.isServed == false)
        await first.stop()
        #expect(await shop.clock.reaches { await second.statuses().first?.isServed == true })
        // It was served all the time.
        #expect(await shop.isCovered())
        #expect(shop.provider.requests.isEmpty)
        await shop.close()
    }
}

/// The arithmetic of gaps.
@Suite struct BackfillPlanTests {
    private func time(_ minutes: Int64) -> Timestamp {
        Timestamp(microseconds: 1_790_000_000_000_000 + minutes * 60_000_000)
    }

    private func plan(_ mark: BackfillMark? = nil, at minutes: Int64 = 0) -> BackfillPlan {
        BackfillPlan(
            mark, store: "s", gapMicroseconds: 600_000_000, daysMax: 3, now: time(minutes))
    }

    @Test func `a gap has a margin, and no list goes back for ever`() {
        var plan = plan()
        #expect(plan.tick(time(10)) == nil)
        let short = plan.tick(time(21))
        #expect(short?.since == time(10 - 60) && short?.until == time(21))
        let long = plan.tick(time(100_000))
        #expect(long?.since == time(100_000 - 3 * 1440))
        #expect(plan.mark.spans.count == 2 && plan.mark.covered == time(100_000))
    }

    @Test func `a clock that is set back opens no gap`() {
        var plan = plan()
        _ = plan.tick(time(5))
        #expect(plan.tick(time(-100)) == nil && plan.mark.covered == time(5))
        #expect(plan.tick(time(14)) == nil)
    }

    @Test func `the oldest gap is read first, and shrinks`() {
        var plan = plan()
        _ = plan.tick(time(100))
        _ = plan.tick(time(200))
        plan.advance(to: time(50))
        #expect(plan.mark.spans[0].until == time(50) && plan.mark.spans[1].until == time(200))
        // Never beyond its ends.
        plan.advance(to: time(70))
        #expect(plan.mark.spans[0].until == time(50))
        plan.advance(to: time(-1000))
        #expect(plan.mark.spans[0].until == plan.mark.spans[0].since)
        plan.finish()
        #expect(plan.mark.spans.map(\.until) == [time(200)])
        plan.finish()
        plan.finish()
        #expect(plan.mark.spans.isEmpty)
    }

    @Test func `the number of gaps is bounded, and nothing of them is lost`() {
        var plan = plan()
        for gap in 1...Int64(BackfillPlan.spansMax + 5) { _ = plan.tick(time(gap * 11)) }
        #expect(plan.mark.spans.count == BackfillPlan.spansMax)
        #expect(plan.mark.spans.last?.until == time(Int64(BackfillPlan.spansMax + 5) * 11))
    }

    @Test func `a mark is read as it was written`() {
        var plan = plan()
        _ = plan.tick(time(100))
        #expect(BackfillMark(plan.mark.text) == plan.mark)
        #expect(self.plan(BackfillMark(plan.mark.text), at: 101).mark == plan.mark)
        for text in ["", "{}", #"{"store":"s","covered":"x","spans":[]}"#] {
            #expect(BackfillMark(text) == nil)
        }
    }

    @Test func `another store's mark says that all may be missing`() {
        let mark = BackfillMark(store: "other", covered: time(0))
        let spans = plan(mark, at: 5).mark.spans
        #expect(spans == [.init(since: time(5 - 3 * 1440), until: time(5))])
    }
}
