import Payments
import Providers
import Store
import TestSupport
import Testing

@testable import Inquiry

/// Two instances with one store: one asks, and the other takes over.
@Suite struct SharedInquiryTests {
    @Test func `one instance asks, and the other takes over when it is killed`() async throws {
        let shop = try Shop([10])
        let table = LeaseTable(shop.clock)
        let first = shop.instance(turns: table.turns(of: 1))
        #expect(await eventuallyYielding { await first.isServed })
        let second = shop.instance(turns: table.turns(of: 2))
        let early = (1...20).map { "R-\($0)" }
        await shop.expect(early)
        #expect(
            await shop.clock.reaches { early.allSatisfy { shop.provider.count(of: $0) > 0 } })
        #expect(await second.isServed == false)
        // Only one of them asks.
        #expect(early.allSatisfy { shop.provider.count(of: $0) == 1 })
        table.kill(1)
        let killed = shop.clock.now
        shop.provider.say("success", of: early + ["R-21"])
        await shop.expect(["R-21"])
        #expect(await shop.clock.reaches { await second.isServed })
        #expect(shop.clock.now.nanoseconds(since: killed) >= 3_000_000_000)
        #expect(await shop.clock.reaches { await shop.arePaid(early + ["R-21"]) })
        // A takeover asks once more about each open order.
        #expect(early.allSatisfy { shop.provider.count(of: $0) <= 2 })
        #expect(second.notices.first == .turnTaken)
        await shop.close()
    }

    /// After a regular stop, the other instance asks as soon as it looks.
    @Test func `a stop releases the lease`() async throws {
        let shop = try Shop([10])
        let table = LeaseTable(shop.clock)
        let first = shop.instance(turns: table.turns(of: 1))
        #expect(await eventuallyYielding { await first.isServed })
        let second = shop.instance(turns: table.turns(of: 2))
        await first.scheduler.stop()
        #expect(table.holder(of: "e") != 1)
        #expect(await shop.clock.reaches { await second.isServed })
        #expect(table.holder(of: "e") == 2)
        await shop.close()
    }

    /// The lease is lost while questions are in flight. Their answers cause no second record, and
    /// the instance takes the lease again.
    @Test func `losing the lease during a question repeats no record`() async throws {
        let shop = try Shop([10, 20, 40, 80])
        let table = LeaseTable(shop.clock)
        let instance = shop.instance(turns: table.turns(of: 1))
        #expect(await eventuallyYielding { await instance.isServed })
        let references = (1...6).map { "R-\($0)" }
        shop.provider.say("success", of: references + ["R-7"])
        shop.provider.hold()
        await shop.expect(references)
        // The largest number in flight.
        #expect(await shop.clock.reaches { shop.provider.questions.count == 4 })
        table.lose("e")
        #expect(await eventuallyYielding { instance.notices.contains(.turnLost) })
        shop.provider.release()
        #expect(await shop.clock.reaches { await shop.arePaid(references) })
        await shop.expect(["R-7"])
        #expect(await shop.clock.reaches { await shop.arePaid(["R-7"]) })
        #expect(await eventuallyYielding { await instance.status()?.inFlight == 0 })
        #expect(shop.recordCount == 14, "one registration and one answer for each order")
        #expect(instance.notices.count { $0 == .turnTaken } == 2)
        await shop.close()
    }
}
