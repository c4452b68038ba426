import HTTP
import Platform
import Testing

@testable import HTTPServer

@Suite struct AdmissionTests {
    private func admission(_ total: Int, _ perPeer: Int) -> Admission {
        var limits = Limits()
        limits.connectionsMax = total
        limits.connectionsPerPeerMax = perPeer
        return Admission(limits: limits)
    }

    private func peer(_ text: String) -> SocketAddress { SocketAddress(text)! }

    @Test func `who leaves makes room`() {
        let admission = admission(2, 10)
        #expect(admission.admit(peer("192.0.2.1:1"), isProxy: false) == nil)
        #expect(admission.admit(peer("192.0.2.2:1"), isProxy: false) == nil)
        #expect(admission.admit(peer("192.0.2.3:1"), isProxy: false) == .full)
        admission.leave(peer("192.0.2.1:1"), isProxy: false)
        #expect(admission.admit(peer("192.0.2.3:1"), isProxy: false) == nil)
        #expect(admission.connections == 2)
    }

    @Test func `one that replaces another comes beyond the limit but not beyond its own`() {
        let admission = admission(2, 1)
        #expect(admission.admit(peer("192.0.2.1:1"), isProxy: false) == nil)
        #expect(admission.admit(peer("192.0.2.2:1"), isProxy: false) == nil)
        #expect(admission.admit(peer("192.0.2.3:1"), isProxy: false, replacing: true) == nil)
        #expect(admission.connections == 3)
        // A connection that is refused anyway is refused at once and displaces none.
        #expect(
            admission.admit(peer("192.0.2.1:2"), isProxy: false) == .peerFull)
    }

    /// A client usually has all addresses of an IPv6 /64 network.
    @Test func `an IPv6 network counts as one peer`() {
        let admission = admission(100, 2)
        #expect(admission.admit(peer("[2001:db8::1]:1"), isProxy: false) == nil)
        #expect(admission.admit(peer("[2001:db8::2]:1"), isProxy: false) == nil)
        #expect(
            admission.admit(peer("[2001:db8::3]:1"), isProxy: false) == .peerFull
        )
        #expect(admission.admit(peer("[2001:db8:0:1::3]:1"), isProxy: false) == nil)
        #expect(admission.admit(peer("192.0.2.1:1"), isProxy: false) == nil)
    }

    @Test func `unix peers and proxies have no limit of their own`() {
        let admission = admission(100, 1)
        for _ in 0..<5 {
            #expect(admission.admit(.unix(path: ""), isProxy: true) == nil)
            #expect(admission.admit(peer("192.0.2.1:1"), isProxy: true) == nil)
        }
        admission.leave(.unix(path: ""), isProxy: true)
        #expect(admission.connections == 9)
    }
}
