import Testing

@testable import HTTP

@Suite struct LimitsTests {
    @Test func `names every property once`() {
        let properties = Mirror(reflecting: Limits()).children.compactMap(\.label)
        #expect(Limits.all.map(\.name).sorted() == properties.sorted())
    }

    /// A name with the path of another limit would set that one.
    @Test(arguments: Limits.all)
    func `each name sets its own property`(_ limit: LimitName) throws {
        var limits = Limits()
        limits[keyPath: limit.path] = 7
        let changed = Mirror(reflecting: limits).children.filter { $0.value as? Int == 7 }
        #expect(changed.map(\.label) == [limit.name])
    }

    @Test(arguments: Limits.all)
    func `names end with their unit and maximum`(_ limit: LimitName) {
        #expect(limit.name.hasSuffix("Max"))
        #expect(limit.name.contains("Bytes") == (limit.unit == .bytes))
        #expect(limit.name.contains("Seconds") == (limit.unit == .seconds))
        #expect(limit.range.contains(limit.defaultValue))
        #expect(!limit.summary.isEmpty && !limit.summary.hasSuffix("."))
    }

    @Test func `defaults are those of the design`() {
        let defaults = Dictionary(
            uniqueKeysWithValues: Limits.all.map { ($0.name, $0.defaultValue) })
        #expect(
            defaults == [
                "requestLineBytesMax": 8192, "headBytesMax": 16_384, "fieldCountMax": 100,
                "headSecondsMax": 10, "bodyBytesMax": 1 << 20, "bodyIdleSecondsMax": 10,
                "bodySecondsMax": 30, "bodyReserveBytesMax": 65_536, "keepAliveSecondsMax": 75,
                "requestsPerConnectionMax": 10_000, "connectionSecondsMax": 3600,
                "bodiesBytesMax": 256 << 20, "answersBytesMax": 64 << 20,
                "chunkLineBytesMax": 256, "chunkOverheadBytesMax": 16_384,
                "trailerBytesMax": 16_384,
                "writeStallSecondsMax": 10, "connectionsMax": 10_000, "connectionsPerPeerMax": 256,
                "handshakeSecondsMax": 10, "handshakesMax": 512,
                "lingerSecondsMax": 2, "answerQueueBytesMax": 65_536,
                "drainIdleSecondsMax": 1, "drainSecondsMax": 30, "eventsPerRequestMax": 256,
            ])
    }

    @Test func `unknown names are found nowhere`() {
        #expect(Limits.named("bodyBytesMax")?.path == \Limits.bodyBytesMax)
        #expect(Limits.named("bodybytesmax") == nil)
    }

    @Test func `sizes that would overflow are bounded`() {
        var limits = Limits()
        for limit in Limits.all { limits[keyPath: limit.path] = .max }
        let stream = latin1(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9223372036854775807\r\n\r\n")
        #expect(EchoConnection(stream, limits: limits).answers.last?.status == 413)
        for limit in Limits.all { limits[keyPath: limit.path] = .min }
        #expect(EchoConnection(stream, limits: limits).answers.last?.status == 414)
    }
}
