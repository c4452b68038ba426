import Payments
import Testing

@testable import Providers

/// The marks by which providers say that an event moves no money.
@Suite struct TestMarkTests {
    @Test func `what a sender marks as a test is read as one`() throws {
        var marking: Set<String> = []
        for pair in try SenderTests.pairs() {
            var event = SampleEvent.sample(.paid)
            let unmarked = try pair.sender.sign(event, path: "/ipn")
            event.isTest = true
            let sent = try pair.sender.sign(event, path: "/ipn")
            guard pair.sender.marksTests else {
                #expect(sent == unmarked, "\(pair.name)")
                continue
            }
            let read = try pair.provider.receive(sent.delivery)
            #expect(read.flags.contains(.testMode), "\(pair.name)")
            // All of these endpoints are live ones, but for those that say otherwise.
            #expect(read.effect == .none || pair.name.contains("test"), "\(pair.name)")
            marking.insert(pair.fixture.descriptor.name)
        }
        #expect(marking == ["adyen", "mollie", "opp", "paystack", "square", "stripe"])
    }
}
