import JSON
import Testing

@testable import Alerts

@Suite struct AlertBookTests {
    private static func review(_ count: Int) -> AlertCause {
        AlertCause(
            .review, count: count, summary: "\(count) in review", advice: "Decide.",
            screen: "orders?status=review")
    }

    private static let failing = AlertCause(
        .destination, "erp", summary: "Every delivery to erp fails", advice: "Try it.",
        screen: "destinations")

    /// A book with a clock and channels.
    private struct Desk {
        var book = AlertBook()
        var settings = AlertSettings()
        var now = 1_000_000
        var channels = ["webhook"]
        var number = 0

        mutating func check(_ causes: [AlertCause], after seconds: Int = 30) {
            now += seconds
            var number = number
            book.update(causes, settings, channels: channels, now: now) {
                number += 1
                return "id-\(number)"
            }
            self.number = number
        }

        /// The states of all messages, which are then sent.
        mutating func sent() -> [String] {
            let due = book.due(now: now)
            for item in due { book.attempted(item, isSent: true, now: now) }
            return due.map { "\($0.channel) \($0.message.state.rawValue) \($0.message.cause.key)" }
        }
    }

    @Test func `a cause is reported once, and once when it has ended`() {
        var desk = Desk()
        desk.check([Self.review(1)])
        #expect(desk.sent() == ["webhook raised review"])
        for _ in 0..<100 { desk.check([Self.review(1)]) }
        #expect(desk.sent() == [])
        desk.check([])
        #expect(desk.sent() == [])
        desk.check([])
        #expect(desk.sent() == ["webhook resolved review"])
        desk.check([])
        #expect(desk.sent() == [] && desk.book.known.isEmpty)
    }

    @Test func `a cause that is missed once has not ended`() {
        var desk = Desk()
        desk.check([Self.review(1)])
        _ = desk.sent()
        desk.check([])
        desk.check([Self.review(1)])
        desk.check([])
        #expect(desk.sent() == [])
    }

    @Test func `a count that grows is reported again after an hour`() {
        var desk = Desk()
        desk.check([Self.review(1)])
        _ = desk.sent()
        desk.check([Self.review(5)], after: 3599)
        #expect(desk.sent() == [])
        desk.check([Self.review(5)], after: 1)
        #expect(desk.sent() == ["webhook raised review"])
        desk.check([Self.review(4)], after: 7200)
        #expect(desk.sent() == [])
    }

    @Test func `a cause that lasts is reported again after a day`() {
        var desk = Desk()
        desk.check([Self.review(1)])
        _ = desk.sent()
        desk.check([Self.review(1)], after: 24 * 3600 - 1)
        #expect(desk.sent() == [])
        desk.check([Self.review(1)], after: 1)
        #expect(desk.sent() == ["webhook raised review"])
    }

    @Test func `a system has to fail for a while`() {
        var desk = Desk()
        desk.check([Self.failing])
        desk.check([Self.failing], after: 599)
        #expect(desk.sent() == [])
        // It works again, and nobody hears of it.
        desk.check([])
        desk.check([])
        #expect(desk.sent() == [])
        desk.check([Self.failing])
        desk.check([Self.failing], after: 600)
        #expect(desk.sent() == ["webhook raised destination erp"])
    }

    @Test func `each channel sends and retries on its own`() {
        var desk = Desk()
        desk.channels = ["webhook", "sendmail"]
        desk.check([Self.review(1)])
        let due = desk.book.due(now: desk.now)
        #expect(due.map(\.channel) == ["webhook", "sendmail"])
        desk.book.attempted(due[0], isSent: false, now: desk.now)
        desk.book.attempted(due[1], isSent: true, now: desk.now)
        #expect(desk.book.due(now: desk.now).isEmpty)
        var pauses: [Int] = []
        for _ in 0..<9 {
            let wait = desk.book.outgoing[0].due - desk.now
            pauses.append(wait)
            desk.now += wait
            let again = desk.book.due(now: desk.now)
            #expect(again.map(\.message.id) == ["id-1"])
            desk.book.attempted(again[0], isSent: false, now: desk.now)
        }
        #expect(pauses == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600])
        // A clock that is set back does not hold it for years.
        #expect(desk.book.due(now: desk.now - 100_000).count == 1)
    }

    @Test func `messages of a channel that is gone are dropped`() {
        var desk = Desk()
        desk.channels = ["webhook", "sendmail"]
        desk.check([Self.review(1)])
        desk.book.keep(channels: ["sendmail"])
        #expect(desk.book.outgoing.map(\.channel) == ["sendmail"])
    }

    @Test func `its memory is bounded`() {
        var desk = Desk()
        for round in 0..<20 {
            let causes = (0..<100).map { number in
                AlertCause(
                    .refusals, "e\(round) r\(number)", count: 5, summary: "", advice: "", screen: ""
                )
            }
            desk.check(causes)
        }
        #expect(desk.book.outgoing.count == AlertBook.outgoingMax)
        #expect(desk.book.known.count <= AlertBook.knownMax)
    }

    @Test func `the file gives back the same book`() throws {
        var desk = Desk()
        desk.settings.pages = "https://ops.example/ui/"
        desk.check([Self.review(1), Self.failing])
        let due = desk.book.due(now: desk.now)
        desk.book.attempted(due[0], isSent: false, now: desk.now)
        let read = try #require(AlertBook(json: desk.book.json))
        #expect(read == desk.book)
        for damaged in ["", "[]", "{", #"{"known":[]}"#] {
            #expect(AlertBook(json: Array(damaged.utf8)) == nil)
        }
    }
}
