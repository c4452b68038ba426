import Payments
import ProviderFixtures
import TestSupport
import Testing

/// The examples of config/orders.md, played in every order, some lines twice.
struct OrdersPageTests {
    struct Example: Sendable, CustomTestStringConvertible {
        var told: [Line] = []
        var results: [[String]] = []
        var testDescription: String { told.map(\.text).joined(separator: "; ") }
    }

    enum Line: Sendable {
        case expectation(String, reference: String, Money)
        case notification(String, Notification)

        var text: String {
            switch self {
            case .expectation(let text, _, _), .notification(let text, _): text
            }
        }
    }

    /// Nil if the page does not have the expected form.
    static let examples: [Example] = {
        guard let page = try? SourceTree.text("config/orders.md"),
            let section = page.split(separator: "\n## ").first(where: { $0.hasPrefix("Examples") })
        else { return [] }
        return section.split(separator: "\n```\n", omittingEmptySubsequences: false)
            .filter { $0.contains("\n→ ") }.map(example)
    }()

    private static func example(_ block: Substring) -> Example {
        var example = Example()
        // A block that follows another one at once begins after its fence.
        for line in block.split(separator: "\n") where !line.hasPrefix("```") {
            if line.hasPrefix("→ ") {
                example.results.append(line.dropFirst(2).split(separator: " ").map(String.init))
            } else {
                example.told += lines(String(line))
            }
        }
        return example
    }

    private static func lines(_ text: String) -> [Line] {
        let count = text.firstMatch(of: /\(([0-9]+) of them\)$/).flatMap { Int($0.1) } ?? 1
        let words = text.split(separator: " ").map(String.init)
        return (1...count).map { number in
            line(words.map { count > 1 && $0 == "C-1" ? "C-\(number)" : $0 }, text)
        }
    }

    private static func line(_ words: [String], _ text: String) -> Line {
        func money(_ place: Int) -> Money? {
            words.indices.contains(place)
                ? Money(decimal: words[place], currency: Money.sampleCurrency) : nil
        }
        if words[0] == "expect", let amount = money(2) {
            return .expectation(text, reference: words[1], amount)
        }
        var notification = Notification(
            id: words.joined(separator: " "), kind: words[0], status: words[3])
        notification.transaction = words[2]
        func named<Status: RisingStatus>(_ name: String) -> Status? {
            Status.allCases.first { $0.name == name }
        }
        if words[0] == "payment", let status = named(words[3]) as AttemptStatus? {
            notification.reference = words[1]
            notification.effect = .attempt(status, money(4))
        } else if let status = named(words[4]) as ActionStatus? {
            notification.alias = words[1] == "-" ? nil : words[1]
            notification.effect =
                words[0] == "capture"
                ? .capture(id: words[3], status, money(5))
                : .refund(id: words[3], status, money(5))
        }
        return .notification(text, notification)
    }

    @Test func `the page has examples of what it explains`() {
        let results = Self.examples.flatMap(\.results).flatMap(\.self)
        for word in ["contradicted", "too_many_events", "alias", "shared_id", "amount_unexpected"] {
            #expect(results.contains(word), "\(word)")
        }
        #expect(Self.examples.count >= 10)
        #expect(Self.examples.allSatisfy { !$0.told.isEmpty && !$0.results.isEmpty })
    }

    @Test(arguments: examples)
    func `it is as the page says in every order`(_ example: Example) {
        var generator = SeededGenerator(seed: 1)
        for order in Self.orders(of: example.told, &generator) {
            var ledger = TruthLedger(factsMax: Order.factsMaxDefault)
            for line in order {
                switch line {
                case .expectation(_, let reference, let amount): ledger.register(reference, amount)
                case .notification(_, let notification):
                    ledger.record(notification, isLast: true)
                }
            }
            for result in example.results { expect(result, ledger, order) }
        }
    }

    /// Every permutation of a few lines, some of many; and one in which each line comes twice.
    private static func orders(
        of lines: [Line], _ generator: inout SeededGenerator
    ) -> [[Line]] {
        guard lines.count <= 4 else {
            return (0..<3).map { _ in lines.shuffled(using: &generator) }
        }
        return permutations(lines) + [(lines + lines).shuffled(using: &generator)]
    }

    private static func permutations(_ lines: [Line]) -> [[Line]] {
        guard lines.count > 1 else { return [lines] }
        return lines.indices.flatMap { place in
            var rest = lines
            let first = rest.remove(at: place)
            return permutations(rest).map { [first] + $0 }
        }
    }

    private func expect(_ result: [String], _ ledger: TruthLedger, _ told: [Line]) {
        let order =
            result[0].hasPrefix("~")
            ? ledger.order(unjoined: String(result[0].dropFirst())) : ledger.order(result[0])
        let story = "\(result) after \(told.prefix(5).map(\.text))"
        if result.contains("alias") {
            #expect(order?.reference == result.last, "\(story)")
            #expect(order?.aliases.contains(result[0]) == true, "\(story)")
            return
        }
        let summary = order?.summary
        #expect(summary?.status.rawValue == result[1], "\(story)")
        var rest = result.dropFirst(2)
        for (word, sum) in [("captured", summary?.captured), ("refunded", summary?.refunded)] {
            guard rest.first == word else { continue }
            #expect(sum?.decimal == rest.dropFirst().first, "\(story)")
            rest = rest.dropFirst(2)
        }
        #expect(Set(order?.flags.map(\.rawValue) ?? []) == Set(rest), "\(story)")
    }
}
