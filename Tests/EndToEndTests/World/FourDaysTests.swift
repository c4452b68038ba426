import Foundation
import TestSupport
import Testing

/// The server is away for four days, which is longer than most providers try, and three in ten of
/// the other notifications are lost.
@Suite(.ownThreads) struct FourDaysTests {
    /// Orders a second, which begin at fixed times, and the speed of the provider's clock: 173
    /// begin in four days.
    private static let (rate, speed) = (20, 40_000)
    /// So many that a machine that stands still for ten seconds does not miss the end of the days.
    private static let orders = 450

    /// The settings of those that `init` does not configure to be asked. Any text will do for the
    /// secrets.
    private static let inquiries = [
        "paypal": "clientID: client, clientSecret: {file: secrets/adyen}, ",
        "gocardless": "accessToken: {file: secrets/adyen}, ",
        "square": "accessToken: {file: secrets/adyen}, ", "mollie": "",
        "midtrans": "serverKey: {file: secrets/midtrans}, ",
    ]

    /// Plays orders of the endpoints, with four days away in between.
    private func play(_ endpoints: [String], _ scenarios: [String]) throws -> World {
        let world = try World(
            inquiry: "schedule: [1, 2, 4, 8, 16], secondsPerQuestion: 0.002, "
                + "secondsPerOrder: 0.05, breakerSeconds: 0.5, retryAfterSecondsMax: 1",
            [
                "--rate", "\(Self.rate)", "--speed", "\(Self.speed)", "--seed", "4",
                "--prefix", "F", "--loss", "0.3", "--repeats", "0.3", "--delay", "180", "--count",
                "\(Self.orders / endpoints.count)",
            ] + endpoints.flatMap { ["--endpoint", $0] }
                + scenarios.flatMap { ["--scenario", $0] },
            edit: { text, simulator in
                Self.inquiries.reduce(text) { text, provider in
                    text.replacingOccurrences(
                        of: "provider: \(provider.key)\n",
                        with: "provider: \(provider.key)\n    inquiry: {\(provider.value)url: "
                            + "\"http://\(simulator)\"}\n")
                }.replacingOccurrences(
                    of: "provider: mollie\n",
                    with: "provider: mollie\n    apiKey: {file: secrets/hmac}\n")
            })
        func hasBegun(_ count: Int) throws -> Bool {
            try eventually(World.patience) { try world.progress().begun >= count }
        }
        try #require(try hasBegun(20))
        world.instance.stop(SIGKILL)
        let stopped = try world.progress().begun
        let awake = stopped + 4 * 86_400 * Self.rate / Self.speed + 1
        try #require(awake < Self.orders - 30, "orders begin after the four days, too")
        try #require(try hasBegun(awake))
        try world.instance.start()
        try #require(try eventually(World.patience) { try world.progress().isOver })
        let counts = try world.counts()
        #expect(counts["givenUp"] as? Int ?? 0 > Self.orders / 10, "no provider gave up")
        #expect(counts["lost"] as? Int ?? 0 > Self.orders / 10, "every provider loses some")
        #expect(
            try world.complaints().count > Self.orders / 10, "nothing was lost: it sees nothing")
        return world
    }

    /// A list of events, or at Mollie of payments, brings everything, also orders of which nothing
    /// was known. PayPal's successes count when PayPal was asked about them, and the sums of
    /// GoCardless' are known, which follows by itself.
    @Test(arguments: ["stripe", "paypal", "gocardless", "square", "mollie"])
    func `a list brings everything`(_ endpoint: String) throws {
        let world = try play([endpoint], [])
        let filled = try BackfillTests.backfill(world, of: endpoint)
        #expect(filled.status == 0 && BackfillTests.new(filled.answer) > 0, "\(filled.errors)")
        var complaints: [String: String] = [:]
        let isDone = try eventually(World.patience) {
            complaints = try world.complaints()
            return complaints.isEmpty
        }
        #expect(isDone, "\(complaints.count): \(complaints.values.sorted().prefix(5))")
        try world.expectReread()
    }

    /// Where there is no list, the shop asks about its orders, those included of which ipnd has
    /// never heard. (Some answers have no refunds, disputes or earlier tries: config/README.md.)
    @Test func `questions bring every payment`() throws {
        let world = try play(
            World.players + ["midtrans"], ["paid", "authorized-captured", "unpaid", "abandoned"])
        let admin = try world.instance.admin()
        var complaints: [String: String] = [:]
        let isDone = try eventually(World.patience) {
            complaints = try world.complaints()
            for place in complaints.keys.sorted() {
                let answer = try admin.post("/orders/\(place)/inquire", "")
                #expect([200, 429, 503].contains(answer.status), "\(answer.body)")
            }
            return complaints.isEmpty
        }
        #expect(isDone, "\(complaints.count): \(complaints.values.sorted().prefix(5))")
        try world.expectReread()
    }
}
