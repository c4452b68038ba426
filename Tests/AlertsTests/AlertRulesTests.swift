import Platform
import TestSupport
import Testing

@testable import Alerts

@Suite struct AlertRulesTests {
    private let clock = ManualClock()

    private func kinds(_ change: (inout AlertFigures) -> Void) -> [AlertKind] {
        var rules = AlertRules(AlertSettings())
        var figures = AlertFigures()
        change(&figures)
        return rules.causes(figures, now: clock.now).map(\.kind)
    }

    @Test func `a quiet server has no cause`() {
        #expect(kinds { _ in } == [])
        #expect(
            kinds {
                ($0.overdue, $0.review, $0.availableBytes) = (0, 0, 2 << 30)
                $0.deadLetters = ["erp": 0]
                $0.certificates = [.init(listener: "listeners[0]", secondsLeft: 15 * 86_400)]
            } == [])
    }

    static let states: [(AlertKind, @Sendable (inout AlertFigures) -> Void)] = [
        (.storage, { $0.hindrance = "disk_full" }),
        (.disk, { $0.availableBytes = 1_000_000 }),
        (.overdue, { $0.overdue = 3 }),
        (.review, { $0.review = 1 }),
        (.deadLetters, { $0.deadLetters = ["erp": 2] }),
        (.destination, { $0.failingDestinations = ["erp"] }),
        (.inquiry, { $0.failingInquiries = ["antom"] }),
        (.certificate, { $0.certificates = [.init(listener: "l", secondsLeft: 86_400)] }),
        (.reload, { $0.reloadWasRefused = true }),
    ]

    @Test(arguments: states.indices) func `each state is a cause of its kind`(_ index: Int) {
        #expect(kinds(Self.states[index].1) == [Self.states[index].0])
    }

    /// The figures after some requests, of which some were refused.
    private func figures(requests: Int, refused: Int, reason: String = "signature_mismatch")
        -> AlertFigures
    {
        var figures = AlertFigures()
        figures.requests = ["antom": requests]
        figures.refusals = [.init(endpoint: "antom", reason: reason): refused]
        return figures
    }

    @Test func `refusals are a cause from a number and a share on`() {
        for (requests, refused, isCause) in [
            (5, 5, true), (4, 4, false), (25, 5, true), (26, 5, false), (1000, 300, true),
            // Some refusals happen before the event is counted.
            (0, 7, true),
        ] {
            var rules = AlertRules(AlertSettings())
            _ = rules.causes(figures(requests: 100, refused: 50), now: clock.now)
            clock.advance(seconds: Double(AlertRules.windowSeconds))
            let found = rules.causes(
                figures(requests: 100 + requests, refused: 50 + refused), now: clock.now)
            #expect(found.map(\.key) == (isCause ? ["refusals antom signature_mismatch"] : []))
            #expect(found.first?.count == (isCause ? refused : nil))
        }
    }

    @Test func `what was counted before the first check counts`() {
        var rules = AlertRules(AlertSettings())
        var figures = figures(requests: 9, refused: 9)
        figures.unknownPaths = ["antom": 1]
        let found = rules.causes(figures, now: clock.now)
        #expect(
            found.map(\.key) == ["refusals antom signature_mismatch", "unknown_path antom"])
        #expect(found.first?.count == 9)
    }

    @Test func `refusals before the window do not count`() {
        var rules = AlertRules(AlertSettings())
        _ = rules.causes(figures(requests: 0, refused: 0), now: clock.now)
        clock.advance(seconds: 30)
        #expect(!rules.causes(figures(requests: 9, refused: 9), now: clock.now).isEmpty)
        clock.advance(seconds: Double(AlertRules.windowSeconds - 1))
        #expect(!rules.causes(figures(requests: 9, refused: 9), now: clock.now).isEmpty)
        clock.advance(seconds: 1)
        #expect(rules.causes(figures(requests: 9, refused: 9), now: clock.now).isEmpty)
    }

    @Test func `an attack with many reasons is bounded`() {
        var rules = AlertRules(AlertSettings())
        _ = rules.causes(AlertFigures(), now: clock.now)
        var figures = AlertFigures()
        for number in 0..<200 {
            figures.refusals[.init(endpoint: "e\(number)", reason: "x")] = 10 + number
        }
        let found = rules.causes(figures, now: clock.now)
        #expect(found.count == AlertRules.refusalsMax)
        #expect(found.first?.count == 209)
    }

    @Test func `excepted kinds are left out`() {
        var settings = AlertSettings()
        settings.except = [.review]
        var rules = AlertRules(settings)
        var figures = AlertFigures()
        (figures.review, figures.overdue) = (2, 2)
        #expect(rules.causes(figures, now: clock.now).map(\.kind) == [.overdue])
    }

    @Test func `a notification at an unknown path is a cause for ten minutes`() {
        var rules = AlertRules(AlertSettings())
        _ = rules.causes(AlertFigures(), now: clock.now)
        var figures = AlertFigures()
        figures.unknownPaths = ["antom": 1]
        #expect(rules.causes(figures, now: clock.now).map(\.key) == ["unknown_path antom"])
    }

    @Test func `card numbers in notifications are a cause`() {
        var rules = AlertRules(AlertSettings())
        _ = rules.causes(AlertFigures(), now: clock.now)
        var figures = AlertFigures()
        figures.cardData = ["antom": 2, "shop": 0]
        let found = rules.causes(figures, now: clock.now)
        #expect(found.map(\.key) == ["card_data antom"] && found.first?.count == 2)
    }
}
