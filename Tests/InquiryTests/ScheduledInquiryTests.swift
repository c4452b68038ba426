import Payments
import Platform
import Providers
import Store
import TestSupport
import Testing

@testable import Inquiry

/// Inquiries by schedule: service, scheduler and worker as the program runs them, on a clock that
/// the test moves.
@Suite struct ScheduledInquiryTests {
    private static func seconds(_ first: MonotonicTime, _ last: MonotonicTime) -> Double {
        Double(last.nanoseconds(since: first)) / 1e9
    }

    @Test func `a lost notification is found, and settled orders are not asked about`() async throws
    {
        let shop = try Shop([60, 120, 300])
        shop.provider.say("success", of: ["R-1", "R-2"])
        let instance = shop.instance()
        let registered = shop.clock.now
        await shop.expect(["R-1", "R-2", "R-3"])
        #expect(await shop.clock.reaches { await shop.arePaid(["R-1", "R-2"]) })
        #expect(await shop.clock.reaches { shop.provider.count(of: "R-3") == 3 })
        // An unknown order has not failed.
        #expect(await shop.status("R-3") == .pending)
        #expect(shop.provider.count(of: "R-1") == 1 && shop.provider.count(of: "R-2") == 1)
        for (time, due) in zip(shop.provider.times(of: "R-3"), [60.0, 120, 300]) {
            #expect(Self.seconds(registered, time) >= due)
        }
        #expect(
            await eventuallyYielding {
                instance.service.counters["e"]?.verdicts == [.answered: 2, .absent: 3]
            })
        #expect(instance.service.counters["e"]?.recorded == 2)
        #expect(shop.recordCount == 5)
        #expect(await instance.isServed)
        await shop.close()
    }

    /// A provider that is down is only probed, and every order is asked about when it is back.
    @Test(arguments: [nil, 500, 401])
    func `a provider that is down is only probed`(_ status: Int?) async throws {
        let shop = try Shop([60]) { schedule in
            schedule.breakerSeconds = 60
            schedule.breakerQuestions = 3
            schedule.concurrency = 2
        }
        if let status { shop.provider.refuse(status) } else { shop.provider.fail() }
        let references = (1...30).map { "R-\($0)" }
        let instance = shop.instance()
        await shop.expect(references)
        #expect(await shop.clock.reaches { await instance.status()?.isBreakerOpen == true })
        // The questions in flight when the breaker opened end first.
        #expect(await eventuallyYielding { await instance.status()?.inFlight == 0 })
        let before = shop.provider.questions.count
        #expect(before <= 4)
        let opened = shop.clock.now
        #expect(await shop.clock.reaches { shop.provider.questions.count >= before + 3 })
        let probes = shop.provider.questions.dropFirst(before).prefix(3).map(\.time)
        for (first, next) in zip(probes, probes.dropFirst()) {
            #expect(Self.seconds(first, next) >= 60)
        }
        #expect(Self.seconds(opened, probes[2]) >= 170)
        #expect(await shop.status("R-1") == .pending)
        shop.provider.recover()
        shop.provider.say("success", of: references)
        #expect(await shop.clock.reaches { await shop.arePaid(references) })
        let opening = instance.notices.count {
            if case .breakerOpened = $0 { true } else { false }
        }
        #expect(opening == 1 && instance.notices.contains(.breakerClosed))
        await shop.close()
    }

    /// The endpoint's limit holds, also after a restart that finds everything due at once.
    @Test func `the endpoint's limit is kept`() async throws {
        let shop = try Shop([5]) { $0.secondsPerQuestion = 0.25 }
        let references = (1...30).map { "R-\($0)" }
        let first = shop.instance()
        let began = shop.clock.now.advanced(seconds: 5)
        await shop.expect(references)
        #expect(await shop.clock.reaches { shop.provider.questions.count >= 12 })
        await first.scheduler.stop()
        let count = shop.provider.questions.count
        let restarted = shop.clock.now
        _ = shop.instance()
        #expect(await shop.clock.reaches { shop.provider.questions.count >= count + 12 })
        let questions = shop.provider.questions
        for (part, start) in [
            (questions.prefix(count), began), (questions.suffix(from: count), restarted),
        ] {
            // A full bucket holds four. The clock may move between a question and its arrival, so
            // that the time between two arrivals can be shorter than between the questions.
            for (number, question) in part.enumerated().dropFirst(4) {
                let seconds = Self.seconds(start, question.time)
                #expect(Double(number + 1) <= seconds / 0.25 + 4.001)
            }
        }
        // Once for each order and each start.
        for reference in references { #expect(shop.provider.count(of: reference) <= 2) }
        await shop.close()
    }

    @Test func `the provider's Retry-After is honoured`() async throws {
        let shop = try Shop([60]) { $0.concurrency = 1 }
        shop.provider.refuse(429, retryAfterSeconds: 200)
        let instance = shop.instance()
        await shop.expect(["R-1"])
        #expect(
            await shop.clock.reaches {
                instance.service.counters["e"]?.verdicts[.retry] == 1
            })
        shop.provider.recover()
        shop.provider.say("success", of: ["R-2"])
        await shop.expect(["R-2"])
        #expect(await shop.clock.reaches { await shop.arePaid(["R-2"]) })
        let times = shop.provider.questions.map(\.time)
        #expect(times.count >= 2 && Self.seconds(times[0], times[1]) >= 200)
        await shop.close()
    }

    /// `schedule: []` asks nothing; a reload starts a schedule.
    @Test func `a schedule can start at a reload`() async throws {
        let shop = try Shop([])
        shop.provider.say("success", of: ["R-1"])
        let instance = shop.instance()
        await shop.expect(["R-1"])
        #expect(await instance.scheduler.statuses().isEmpty)
        shop.clock.advance(seconds: 3600)
        #expect(shop.provider.questions.isEmpty && shop.clock.sleeperCount == 0)
        var schedule = InquirySchedule()
        schedule.schedule = [60]
        instance.service.replace([try Merchant.target("citcon-pay", 0, schedule)])
        instance.scheduler.reload()
        #expect(await shop.clock.reaches { await shop.arePaid(["R-1"]) })
        #expect(shop.provider.questions.count == 1)
        await shop.close()
    }

    /// Also for orders whose turn by the old schedule would be later.
    @Test func `a schedule that changes at a reload counts at once`() async throws {
        let shop = try Shop([36_000])
        shop.provider.say("success", of: ["R-1"])
        let instance = shop.instance()
        let registered = shop.clock.now
        await shop.expect(["R-1"])
        #expect(await shop.clock.reaches { await instance.isServed })
        // The plan has the order.
        #expect(await shop.clock.reaches { shop.clock.now > registered.advanced(seconds: 60) })
        var schedule = InquirySchedule()
        schedule.schedule = [300]
        instance.service.replace([try Merchant.target("citcon-pay", 0, schedule)])
        instance.scheduler.reload()
        #expect(await shop.clock.reaches { await shop.arePaid(["R-1"]) })
        #expect(Self.seconds(registered, shop.provider.times(of: "R-1")[0]) < 36_000)
        await shop.close()
    }

    /// An order in doubt is asked about until an answer settles it. The order's own pause comes
    /// first.
    @Test func `an authorised order is asked about until it is captured`() async throws {
        let shop = try Shop([10], pauseSeconds: 50)
        shop.provider.say("authorized", of: ["R-1"])
        _ = shop.instance()
        let registered = shop.clock.now
        await shop.expect(["R-1"])
        #expect(await shop.clock.reaches { await shop.status("R-1") == .authorized })
        shop.provider.say("success", of: ["R-1"])
        #expect(await shop.clock.reaches { await shop.arePaid(["R-1"]) })
        let times = shop.provider.times(of: "R-1")
        // Not the time between both: the clock may move before the first one arrives.
        #expect(times.count >= 2 && Self.seconds(registered, times[1]) >= 10 + 50)
        await shop.close()
    }
}
