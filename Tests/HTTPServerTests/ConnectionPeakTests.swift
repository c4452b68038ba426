import Testing

@testable import HTTPServer

struct ConnectionPeakTests {
    @Test func `the end of a flood is noticed once`() {
        var peak = ConnectionPeak()
        for count in 1...4000 { peak.rose(to: count) }
        let noticed = (0..<4000).reversed().filter { peak.fell(to: $0) }
        #expect(noticed == [1000, 250])
    }

    @Test func `a few connections are no flood`() {
        var peak = ConnectionPeak()
        peak.rose(to: ConnectionPeak.connectionsMin - 1)
        let few = peak.fell(to: 0)
        peak.rose(to: ConnectionPeak.connectionsMin)
        let many = peak.fell(to: 0)
        #expect(!few && many)
    }
}
