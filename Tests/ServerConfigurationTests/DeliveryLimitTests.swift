import Delivery
import TestSupport
import Testing

@testable import ServerConfiguration

/// The limits of delivery, under `delivery:` in line 5.
@Suite struct DeliveryLimitTests {
    private static func text(_ settings: String) -> String {
        """
        listeners: [{address: 127.0.0.1:1}]
        journal: {directory: journal}
        endpoints:
          - {name: citcon, path: /a, provider: citcon-upi, secrets: [{file: secrets/citcon}]}
        delivery: {\(settings)}

        """
    }

    private static func load(_ settings: String) throws -> Result<Configuration, ConfigurationError>
    {
        try TemporaryFolder.filled().load(text(settings))
    }

    /// Valid and invalid values of this limit.
    private static func values(
        of limit: DeliveryLimitName
    ) -> (good: [String], bad: [String], range: String) {
        switch limit.kind {
        case .number(_, let range):
            (
                ["\(range.lowerBound)", "\(range.upperBound)"],
                ["\(range.lowerBound - 1)", "\(range.upperBound + 1)", "1.5", "many"],
                "from \(range.lowerBound) to \(range.upperBound)"
            )
        case .seconds(_, let range):
            (
                [range.lowerBound == 0 ? "0" : "0.001", "\(Int(range.upperBound))"],
                ["-1", "\(Int(range.upperBound) + 1)", "1m", "soon"],
                "to \(Int(range.upperBound))"
            )
        }
    }

    @Test func `names every property once with its unit`() {
        let properties = Mirror(reflecting: DeliveryLimits()).children.compactMap(\.label)
        #expect(DeliveryLimitName.all.map(\.name).sorted() == properties.sorted())
        #expect(properties.allSatisfy { $0.hasSuffix("Max") })
    }

    @Test func `what is left out has its default and is within its range`() throws {
        #expect(try Self.load("").get().delivery == DeliveryLimits())
        for limit in DeliveryLimitName.all {
            let plain = limit.text(in: DeliveryLimits()).replacing(/\.0$/, with: "")
            #expect(try Self.load("\(limit.name): \(plain)").get().delivery == DeliveryLimits())
        }
    }

    /// A name with the path of another limit would set that one.
    @Test(arguments: DeliveryLimitName.all.indices)
    func `each name sets its own property`(_ index: Int) throws {
        let limit = DeliveryLimitName.all[index]
        for value in Self.values(of: limit).good {
            let configuration = try Self.load("\(limit.name): \(value)").get()
            let before = Dictionary(
                uniqueKeysWithValues: Mirror(reflecting: DeliveryLimits()).children.map {
                    ($0.label ?? "", "\($0.value)")
                })
            for child in Mirror(reflecting: configuration.delivery).children {
                let label = child.label ?? ""
                let expected = label == limit.name ? Double(value) : Double(before[label] ?? "")
                #expect(Double("\(child.value)") == expected, "\(label)")
            }
            #expect(configuration.describe().contains("delivery.\(limit.name) "))
        }
    }

    @Test(arguments: DeliveryLimitName.all.indices)
    func `a value that makes no sense is a mistake with its line`(_ index: Int) throws {
        let limit = DeliveryLimitName.all[index]
        let (_, bad, range) = Self.values(of: limit)
        for value in bad + ["[1]", "''"] {
            guard case .failure(let error) = try Self.load("\(limit.name): \(value)") else {
                Issue.record("\(limit.name): \(value) was taken")
                continue
            }
            let found = try #require(error.mistakes.first)
            #expect(error.mistakes.count == 1 && found.line == 5, "\(error)")
            #expect(found.key == "delivery.\(limit.name)" && "\(found)".contains(range), "\(found)")
        }
    }

    @Test(arguments: [
        ("attemptMax: 1", "delivery.attemptMax", "`attemptsMax`"),
        ("timeoutSeconds: 1", "delivery.timeoutSeconds", "unknown"),
    ])
    func `an unknown name is a mistake`(_ settings: String, _ key: String, _ words: String) throws {
        guard case .failure(let error) = try Self.load(settings) else {
            Issue.record("it was taken")
            return
        }
        #expect(error.mistakes.map(\.key) == [key] && "\(error)".contains(words), "\(error)")
    }
}
