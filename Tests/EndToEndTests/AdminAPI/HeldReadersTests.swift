import Foundation
import TestSupport
import Testing

/// Many concurrent readers while notifications arrive.
@Suite(.ownThreads) struct HeldReadersTests {
    /// Fifty long polls for orders and fifty streams: each receives its event, and the intake waits
    /// for none of them. The streams are read one after the other, which may take longer on a busy
    /// machine than a server waits for a reader by default.
    @Test func `a hundred held readers hear of everything and hold up nobody`() throws {
        let instance = try Instance(edit: { $0 + "\nlimits: {writeStallSecondsMax: 600}\n" })
        let antom = try SandboxProvider("antom", of: instance)
        let deliveries = try (0..<100).map { try antom.delivery(reference: "H-\($0)").request() }
        /// A failure names the reader and has the server's log.
        func step<Value>(_ name: String, _ body: () throws -> Value) throws -> Value {
            do { return try body() } catch {
                Issue.record("\(name): \(error)\n\(instance.logText)")
                throw error
            }
        }
        let held = try (0..<50).map { number in
            let admin = try instance.admin()
            try admin.send("GET", "/orders/antom/H-\(2 * number)?wait=60")
            return admin
        }
        let streams = try (0..<50).map { number in
            try step("opening stream \(number)") { try EventReader(instance) }
        }
        for (number, stream) in streams.enumerated() {
            _ = try step("the beginning of stream \(number)") { try stream.next() }
        }
        // This client never reads.
        let slow = try instance.admin()
        try slow.send("GET", "/events", headers: ["Accept: text/event-stream"])
        let client = try instance.client()
        for (number, delivery) in deliveries.enumerated() {
            try client.send(delivery)
            #expect(try step("notification \(number)") { try client.receive().status } == 200)
        }
        for (number, admin) in held.enumerated() {
            let order = try step("poll \(number)") { try admin.client.receive().object() }
            #expect(order["reference"] as? String == "H-\(2 * number)")
            #expect(order["status"] as? String == "paid")
        }
        for (number, stream) in streams.enumerated() {
            #expect(try step("stream \(number)") { try stream.ids(100) } == Array(1...100))
        }
    }

    /// The memory of an export does not grow with its size: the client reads nothing while the
    /// server could produce more.
    @Test func `an export that nobody reads costs no memory`() throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        let client = try instance.client()
        let count = 4000
        for number in 0..<count {
            try client.send(antom.delivery(reference: "X-\(number)").request())
            try #require(try client.receive().status == 200)
        }
        let admin = try instance.admin()
        let isIndexed = try eventually {
            try admin.get("/orders?limit=1").object()["indexed"] as? Int == count
        }
        try #require(isIndexed)
        let export = try instance.admin()
        try export.send("GET", "/orders", headers: ["Accept: application/x-ndjson"])
        let (_, bodyStart) = try export.client.receiveHead()
        export.client.buffer.removeFirst(bodyStart)
        // Other clients are served meanwhile.
        #expect(try admin.get("/orders/antom/X-1").status == 200)
        var lines = 0
        while let chunk = try export.client.receiveChunk() {
            #expect(chunk.count < 1 << 20)
            lines += chunk.count { $0 == UInt8(ascii: "\n") }
        }
        #expect(lines == count)
    }
}
