import Platform
import Testing

@testable import JournalStore

@Suite struct BoundedChannelTests {
    @Test func `values come in order across threads`() {
        let channel = BoundedChannel<Int>(capacity: 3)
        PlatformThread.detached(name: "test") {
            for value in 0..<1000 { channel.send(value) }
            channel.close()
        }
        var received: [Int] = []
        while let value = channel.receive() { received.append(value) }
        #expect(received == Array(0..<1000))
        #expect(channel.receive() == nil)
    }

    @Test func `a closed channel takes nothing and does not block`() {
        let channel = BoundedChannel<Int>(capacity: 1)
        channel.send(1)
        channel.close()
        channel.send(2)
        #expect(channel.receive() == 1)
        #expect(channel.receive() == nil)
    }
}
