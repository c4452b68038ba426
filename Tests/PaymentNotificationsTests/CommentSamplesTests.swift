import Foundation
import PaymentNotifications
import Testing

/// Every example in the comment of a public declaration is compiled, and most are called.
@Suite struct CommentSamplesTests {
    private static func lines(in folder: String) throws -> [[String]] {
        let files = try #require(
            FileManager.default.enumerator(atPath: Vectors.root.appending(path: folder).path))
        return try files.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.map {
            try String(contentsOf: Vectors.root.appending(path: "\(folder)/\($0)"), encoding: .utf8)
                .components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// What a line has in a comment or here and not in the other.
    private static let beginnings = ["let provider = ", "return "]

    /// A line without its comment, and the comma that it may have inside a list.
    private static func code(_ line: String) -> String {
        var code = line.components(separatedBy: "  //")[0].trimmingCharacters(in: .whitespaces)
        if code.hasSuffix(",") { code.removeLast() }
        for beginning in beginnings where code.hasPrefix(beginning) {
            code.removeFirst(beginning.count)
        }
        return code
    }

    /// The lines of the examples above public declarations of a file.
    static func examples(in lines: [String]) -> [String] {
        var (examples, pending, isCode) = ([String](), [String](), false)
        for line in lines {
            if line.hasPrefix("///") {
                let text = String(line.dropFirst(4))
                if text.hasPrefix("```") {
                    isCode = text == "```swift"
                } else if isCode {
                    pending.append(code(text))
                }
            } else if !line.hasPrefix("@discardable") {
                if line.hasPrefix("public ") || line.hasPrefix("@_exported") { examples += pending }
                pending = []
            }
        }
        return examples
    }

    @Test(arguments: ["Payments", "Providers", "Explain", "PaymentNotifications"])
    func `every line of an example is compiled here`(_ module: String) throws {
        let compiled = Set(
            try Self.lines(in: "Tests/PaymentNotificationsTests").flatMap(\.self).map(Self.code))
        let examples = try Self.lines(in: "Sources/\(module)").flatMap(Self.examples)
        #expect(!examples.isEmpty)
        for line in examples { #expect(compiled.contains(line), "\(module): \(line)") }
    }

    @Test func `the examples do what their comments say`() throws {
        let (ringgit, euro) = try (#require(Currency("MYR")), #require(Currency("EUR")))
        let values = CommentSamples.money(
            ringgit: ringgit, euro: euro, yen: try #require(Currency("JPY")))
        #expect(values[0] as? String == "42.00 MYR" && values[1] as? Int64 == 9250)
        #expect(values[2] == nil && values[3] as? Int64 == 5)
        let times = CommentSamples.times
        #expect(times[1] as? String == "2025-05-17T07:57:31Z" && times[2] == nil)
        let price = Money(minor: 4200, currency: euro)
        #expect(CommentSamples.paid(price) == price)
        let orders = CommentSamples.orders([], early: Order(), price: price) { _ in }
        #expect(orders[0] == orders[1] && orders[0] == orders[2])
    }

    @Test func `the steps one by one and in one call accept and refuse the same`() async throws {
        let sample = try AntomSample()
        let antom = try sample.provider
        let (notification, answer) = try CommentSamples.steps(sample.request, by: antom)
        var (order, counts) = (Order(), [String: Int]())
        #expect(await CommentSamples.received(sample.request, by: antom, &order) == answer)
        #expect(order == Order().applying(notification))
        let forged = try AntomSample(body: "{}").request
        let refused = await CommentSamples.received(forged, by: antom, &order)
        #expect(CommentSamples.counted(forged, by: antom, &counts) == refused)
        #expect(counts == ["signature_mismatch": 1])
        #expect(throws: Refusal.self) {
            try CommentSamples.umbrella(
                headers: [], body: [], pem: sample.publicKey, &order)
        }
    }

    @Test func `an example's scheme and mapping make a provider`() throws {
        for scheme in CommentSamples.schemes {
            let provider = try HMACWebhook(
                settings: .init(
                    secrets: ["s"], scheme: scheme, fields: CommentSamples.fields,
                    toleranceSeconds: scheme.content.timestamp == nil ? nil : 300))
            let request = CommentSamples.request(bytes: [1])
            #expect(throws: Refusal.self) { try provider.verify(request) }
        }
        let explained = try CommentSamples.explained(
            CommentSamples.request(bytes: [1]),
            settings: [
                "secrets": ["new"], "hmac": .scheme(CommentSamples.schemes[0]),
                "fields": .fields(CommentSamples.fields),
            ], oldSecret: "old")
        #expect(explained.isEmpty)
        let pem = try AntomSample().publicKey
        #expect(try CommentSamples.named("antom", pem: pem) is Antom)
        #expect(try CommentSamples.named("stripe", pem: pem) is RecipeProvider)
    }
}
