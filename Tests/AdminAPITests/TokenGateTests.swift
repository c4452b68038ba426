import Synchronization
import TestSupport
import Testing

@testable import AdminAPI

@Suite struct TokenGateTests {
    @Test func `an address must wait after too many wrong tokens of either kind`() {
        let clock = ManualClock()
        let gate = TokenGate(clock: clock)
        for number in 0..<TokenGate.failuresPerAddressMax {
            let carrier: TokenGate.Carrier = number % 2 == 0 ? .bearer : .form
            #expect(gate.noteWrong(carrier, from: "10.0.0.1") == nil)
        }
        #expect(gate.noteWrong(.bearer, from: "10.0.0.1") == TokenGate.windowSeconds + 1)
        #expect(gate.noteWrong(.form, from: "10.0.0.1") != nil)
        #expect(gate.noteWrong(.bearer, from: "10.0.0.2") == nil)
        clock.advance(seconds: Double(TokenGate.windowSeconds))
        #expect(gate.noteWrong(.bearer, from: "10.0.0.1") == nil)
    }

    @Test func `all addresses together are limited too`() {
        let gate = TokenGate(clock: ManualClock())
        for number in 0..<TokenGate.failuresMax {
            _ = gate.noteWrong(.bearer, from: "10.0.\(number / 256).\(number % 256)")
        }
        #expect(gate.noteWrong(.bearer, from: "192.0.2.1") != nil)
    }

    @Test func `its memory is bounded`() {
        let gate = TokenGate(clock: ManualClock())
        for number in 0..<5000 { _ = gate.noteWrong(.bearer, from: "a\(number)") }
        #expect(gate.addressCount == TokenGate.addressesMax)
    }

    @Test func `each wrong token is counted and reported`() {
        let reported = Mutex<[TokenGate.Carrier]>([])
        let gate = TokenGate(clock: ManualClock()) { carrier, _ in
            reported.withLock { $0.append(carrier) }
        }
        for _ in 0..<20 { _ = gate.noteWrong(.bearer, from: "10.0.0.1") }
        _ = gate.noteWrong(.form, from: "10.0.0.1")
        #expect(gate.refused == [.bearer: 20, .form: 1])
        #expect(reported.withLock(\.count) == 21)
    }
}

@Suite struct WaitingPlacesTests {
    @Test func `viewers cannot take the places of administrators`() {
        let places = WaitingPlaces(perRoleMax: 4, perPersonMax: 3)
        var taken = (0..<3).map { _ in places.take(.viewer, "a") }
        #expect(taken.allSatisfy { $0 != nil })
        #expect(places.take(.viewer, "a") == nil, "one person")
        let other = places.take(.viewer, "b")
        #expect(other != nil)
        #expect(places.take(.viewer, "c") == nil, "one role")
        #expect(places.take(.admin, "d") != nil)
        taken.removeAll()
        #expect(places.take(.viewer, "a") != nil)
        other?.leave()
        other?.leave()
        #expect(places.personCount == 0)
    }
}
