import Foundation
import TestSupport
import Testing

/// Behaviour of a process without free descriptors.
@Suite(.ownThreads) struct LimitDescriptorTests {
    @Test func `without descriptors it drops connections and serves again when there are some`()
        throws
    {
        let target = try EchoTarget(descriptorsMax: 60)
        var clients: [Client] = []
        // More connections than descriptors: those beyond the limit are accepted and closed at
        // once.
        for _ in 0..<100 { clients.append(try Client(port: target.port, receiveSeconds: 5)) }
        var served = 0
        for client in clients {
            try? client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            if (try? client.receive())?.status == 200 { served += 1 }
        }
        #expect(served > 20 && served < 60, "\(served)")
        clients = []
        #expect(eventually { (try? target.descriptorCount()) ?? 99 < 30 })
        let client = try Client(port: target.port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.receive().status == 200)
    }
}
