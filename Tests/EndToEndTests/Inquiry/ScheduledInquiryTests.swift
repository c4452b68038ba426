import Foundation
import TestSupport
import Testing

/// Automatic inquiries, with the real binary and a short schedule.
@Suite(.ownThreads) struct ScheduledInquiryTests {
    private static let quick = "schedule: [0.3], secondsPerQuestion: 0.01"

    @Test(arguments: StorageKind.all)
    func `what nobody told is found and what is settled is left alone`(_ storage: StorageKind)
        throws
    {
        let provider = try AskedProvider()
        provider.say("success", of: "R-1", "R-2")
        let instance = try Instance(on: storage, edit: { provider.edit($0, Self.quick) })
        try instance.expect("R-1", "R-2", "R-3")
        for reference in ["R-1", "R-2"] {
            #expect(
                try eventually { try instance.status(reference) == "paid" }, "\(instance.logText)")
        }
        #expect(eventually { provider.count(of: "R-3") == 1 })
        // An unknown order is not a failed one.
        #expect(try instance.status("R-3") == "pending")
        #expect(provider.count(of: "R-1") == 1 && provider.count(of: "R-2") == 1)
        let results = "ipnd_inquiries_total{endpoint=\"citcon-pay\",result="
        #expect(
            try eventually {
                try instance.metric(results + "\"answered\"}") == 2
                    && instance.metric(results + "\"absent\"}") == 1
            })
        #expect(try instance.metric("ipnd_inquiry_records_total{endpoint=\"citcon-pay\"}") == 2)
        #expect(try instance.metric("ipnd_inquiry_served{endpoint=\"citcon-pay\"}") == 1)
        #expect(instance.says("inquiry citcon-pay: order R-1: 1 new"))
        let kinds = try instance.records().compactMap {
            ($0["event"] as? [String: Any])?["kind"] as? String
        }
        #expect(kinds.count { $0 == "inquiry" } == 2)
        #expect(instance.stop() == 0)
    }

    /// An order without any report until the end is overdue, never failed.
    @Test func `an order that nobody knows is overdue and never failed`() throws {
        let provider = try AskedProvider()
        let instance = try Instance(
            edit: {
                provider.edit(
                    $0, "schedule: [0.2, 2], secondsPerQuestion: 0.01, secondsPerOrder: 0.1")
            })
        try instance.expect("R-1", secondsToExpiry: 1)
        #expect(eventually { provider.count(of: "R-1") == 2 }, "\(instance.logText)")
        let order = try #require(try instance.order("citcon-pay", "R-1"))
        #expect(order["status"] as? String == "pending")
        #expect((order["flags"] as? [String])?.contains("overdue") == true)
        #expect(try eventually { try instance.metric("ipnd_orders_overdue") == 1 })
        #expect(try instance.records().count == 1, "silence writes nothing")
    }

    /// An unavailable provider receives only probes, and everything is found when it is back. The
    /// intake never waits.
    @Test(arguments: [nil, LocalServer.answer(500), LocalServer.answer(401), "SSH-2.0-x\r\n\r\n"])
    func `a provider that is down is left alone`(_ answer: String?) throws {
        let provider = try AskedProvider()
        provider.fail(with: answer)
        let references = (1...30).map { "R-\($0)" }
        let instance = try Instance(
            edit: {
                provider.edit(
                    $0,
                    Self.quick + ", breakerSeconds: 0.2, breakerQuestions: 3, "
                        + "concurrency: 2, secondsPerOrder: 0.1")
            })
        try instance.expect(references)
        let breaker = "ipnd_inquiry_breaker_open{endpoint=\"citcon-pay\"}"
        #expect(try eventually { try instance.metric(breaker) == 1 }, "\(instance.logText)")
        let before = provider.questions.count
        let sandbox = try SandboxProvider("antom", of: instance)
        for number in 1...20 {
            try instance.deliver(
                sandbox.delivery(.paid, reference: "A-\(number)", number: number).request())
        }
        // Probes continue. How few questions and probes there are is tested with a manual clock.
        #expect(eventually { provider.questions.count >= before + 2 })
        #expect(try instance.status("R-1") == "pending")
        provider.recover()
        for reference in references { provider.say("success", of: reference) }
        for reference in references {
            #expect(
                try eventually { try instance.status(reference) == "paid" },
                "\(instance.logText)")
        }
        let lines = instance.logText.split(separator: "\n").filter {
            $0.contains("every question fails")
        }
        #expect(lines.count == 1 && instance.logText.contains("the provider answers again"))
    }

    /// The endpoint's rate limit holds, also after a restart with everything due at once.
    @Test func `not more is asked than is allowed`() throws {
        let provider = try AskedProvider()
        let references = (1...30).map { "R-\($0)" }
        let instance = try Instance(
            edit: { provider.edit($0, "schedule: [0.2], secondsPerQuestion: 0.25") })
        // Taken before the first inquiry, so that a slow machine only makes the measured time
        // longer.
        var began = Date()
        try instance.expect(references)
        // Twelve inquiries take the time of eight, because a full bucket holds four.
        #expect(eventually { provider.questions.count >= 12 })
        #expect(Date().timeIntervalSince(began) >= 8 * 0.25)
        #expect(instance.stop(SIGKILL) == SIGKILL)
        let count = provider.questions.count
        began = Date()
        try instance.start()
        #expect(eventually { provider.questions.count >= count + 12 }, "\(instance.logText)")
        #expect(Date().timeIntervalSince(began) >= 8 * 0.25)
        // One inquiry for each order and start.
        for reference in references { #expect(provider.count(of: reference) <= 2) }
    }

    @Test func `the provider's wish to be left alone is honoured`() throws {
        let provider = try AskedProvider()
        provider.fail(with: LocalServer.answer(429, "Retry-After: 2\r\n"))
        let instance = try Instance(edit: { provider.edit($0, Self.quick + ", concurrency: 1") })
        try instance.expect("R-1")
        #expect(eventually { provider.questions.count == 1 })
        provider.recover()
        provider.say("success", of: "R-2")
        try instance.expect("R-2")
        #expect(try eventually { try instance.status("R-2") == "paid" }, "\(instance.logText)")
        // A schedule of 0.3 s alone would have asked earlier. The first time is taken before the
        // answer that requests the wait, the second after the wait, however slow the machine is.
        let times = provider.questions.map(\.time)
        #expect(times.count >= 2 && times[1].timeIntervalSince(times[0]) >= 2)
    }

    /// `schedule: []` sends no inquiries; a reload with another schedule starts them.
    @Test func `a schedule can begin at a reload`() throws {
        let provider = try AskedProvider()
        provider.say("success", of: "R-1")
        let instance = try Instance(edit: { provider.edit($0, "schedule: []") })
        try instance.expect("R-1")
        #expect(try instance.metric("ipnd_inquiry_served{endpoint=\"citcon-pay\"}") == nil)
        let text = try String(contentsOfFile: instance.configurationFile, encoding: .utf8)
        try text.replacingOccurrences(of: "schedule: []", with: Self.quick)
            .write(toFile: instance.configurationFile, atomically: true, encoding: .utf8)
        #expect(provider.questions.isEmpty)
        instance.process.signal(SIGHUP)
        #expect(try eventually { try instance.status("R-1") == "paid" }, "\(instance.logText)")
    }

    /// The provider is asked while a client waits, again and again within its limits.
    @Test func `a wait asks until the order is settled`() throws {
        let provider = try AskedProvider()
        let instance = try Instance(
            edit: {
                provider.edit(
                    $0, "schedule: [], secondsPerQuestion: 0.01, secondsPerOrder: 0.1")
            })
        try instance.expect("R-1", "R-2")
        let held = try instance.admin()
        try held.send("GET", "/orders/citcon-pay/R-1?wait=60")
        #expect(eventually { provider.count(of: "R-1") >= 3 }, "\(instance.logText)")
        provider.say("success", of: "R-1")
        #expect(try held.client.receive().object()["status"] as? String == "paid")
        // No inquiry without a wait, about an unknown order, or if the order is settled.
        let admin = try instance.admin()
        let count = provider.count(of: "R-1")
        _ = try admin.get("/orders/citcon-pay/R-1?wait=1")
        _ = try admin.get("/orders/citcon-pay/R-2")
        _ = try admin.get("/orders/citcon-pay/R-3?wait=1")
        #expect(provider.questions.count == count)
    }

    /// A doubtful order triggers an inquiry, and a clear answer removes the doubt.
    @Test func `an authorised order is asked about until it is taken`() throws {
        let provider = try AskedProvider()
        provider.say("authorized", of: "R-1")
        let instance = try Instance(
            edit: { provider.edit($0, Self.quick + ", secondsPerOrder: 0.1") })
        try instance.expect("R-1")
        #expect(
            try eventually { try instance.status("R-1") == "authorized" }, "\(instance.logText)")
        provider.say("success", of: "R-1")
        #expect(try eventually { try instance.status("R-1") == "paid" }, "\(instance.logText)")
    }
}
