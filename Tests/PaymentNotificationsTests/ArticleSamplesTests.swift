import Foundation
import PaymentNotifications
import Testing

/// The code that the library's articles show is compiled here, and does what they say.
@Suite struct ArticleSamplesTests {
    @Test(arguments: ["FirstNotification", "KeepingOrders"])
    func `every Swift block of an article is compiled`(_ article: String) throws {
        let page = try Self.lines(
            "Sources/PaymentNotifications/PaymentNotifications.docc/\(article).md")
        let code = try Self.lines("Tests/PaymentNotificationsTests/ArticleSamples.swift")
            .joined(separator: "\n")
        let starts = page.indices.filter { page[$0] == "```swift" }
        #expect(!starts.isEmpty)
        for start in starts {
            let block = page[start...].dropFirst().prefix { $0 != "```" }.joined(separator: "\n")
            #expect(code.contains(block), "\(article): \(block)")
        }
    }

    /// The lines without indentation, so that a block may be inside a function.
    private static func lines(_ path: String) throws -> [String] {
        try String(contentsOf: Vectors.root.appending(path: path), encoding: .utf8)
            .components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func `the article's server accepts, refuses and asks for a repetition`() async throws {
        let sample = try AntomSample()
        let antom = try ArticleSamples.antom(
            clientID: sample.clientID, publicKey: sample.publicKey)
        var shop = ArticleSamples()
        shop.expected = Money(minor: 100, currency: try #require(Currency("PHP")))
        shop.isFull = true
        #expect(await shop.answer(to: sample.request, by: antom).status == 503)
        shop.isFull = false
        #expect(await shop.answer(to: sample.request, by: antom).status == 200)
        shop.act()
        #expect(shop.hasDelivered)
        let forged = try AntomSample(body: "{}").request
        #expect(await shop.answer(to: forged, by: antom).status == 401)
        #expect(shop.logged.count == 1 && shop.logged[0].contains("signature_mismatch"))
    }

    @Test func `kept orders have each notification once`() async throws {
        let sample = try AntomSample()
        let notification = try await sample.provider.receive(sample.request)[0]
        let refund = PaymentNotification(
            id: "r", kind: "refund", status: "succeeded", transaction: notification.transaction,
            effect: .refund(
                id: "r-1", .succeeded,
                Money(minor: 100, currency: try #require(Currency("PHP")))))
        var shop = ArticleSamples()
        for notification in [notification, notification, refund, refund] {
            shop.keep(notification)
        }
        #expect(shop.orders.count == 1)
        let facts = try #require(shop.orders["cc89dd30134549d6"])
        #expect(Order(encoded: facts)?.status == .refunded)
    }

    @Test func `a request is made of what arrived, and a provider of its name`() throws {
        let request = ArticleSamples.request(
            path: "/ipn/shop?a=b", headers: [("X", "y")], body: [1, 2])
        #expect(request.method == "POST" && request.body == [1, 2])
        let provider = try ArticleSamples.provider(named: "stripe", secret: "whsec_1")
        #expect(provider.answer(.accepted).status == 200)
    }
}
