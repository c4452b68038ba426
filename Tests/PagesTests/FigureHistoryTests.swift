import AdminAPI
import Foundation
import Payments
import Store
import TestSupport
import Testing

@testable import Pages

/// Figures by the hour, over restarts.
@Suite struct FigureHistoryTests {
    private let folder = TemporaryFolder()
    private let clock = ManualClock()

    private func history() -> FigureHistory {
        FigureHistory(folder: folder.file("figures"), clock: clock)
    }

    private func reading(refused: Int, failed: Int = 0) -> MetricsReading {
        MetricsReading(
            """
            ipnd_refusals_total{endpoint="a",reason="x"} \(refused)
            ipnd_delivery_attempts_total{destination="erp",outcome="delivered"} 900
            ipnd_delivery_attempts_total{destination="erp",outcome="timeout"} \(failed)

            """)
    }

    @Test func `growth is counted in its hour and kept over restarts`() {
        let first = history()
        first.add(reading(refused: 3, failed: 1))
        first.add(reading(refused: 3, failed: 1))
        clock.advance(seconds: 3600)
        first.add(reading(refused: 5, failed: 1))
        first.save()
        // Another process, whose counters begin at 0.
        let second = history()
        second.add(reading(refused: 4, failed: 2))
        #expect(second.last(3).map(\.refused) == [0, 3, 6])
        #expect(second.last(3).map(\.failed) == [0, 1, 2])
        clock.advance(seconds: 7200)
        #expect(second.last(3).map(\.refused) == [6, 0, 0])
    }

    /// A page and the minute's turn read at the same time.
    @Test func `a reading that arrives late counts nothing twice`() {
        let history = history()
        history.add(reading(refused: 1, failed: 2))
        history.add(reading(refused: 0))
        history.add(reading(refused: 2, failed: 2))
        #expect(history.last(1).map(\.refused) == [2])
        #expect(history.last(1).map(\.failed) == [2])
    }

    @Test func `a week is kept`() {
        let history = history()
        for number in 1...300 {
            history.add(reading(refused: number))
            clock.advance(seconds: 3600)
        }
        history.save()
        let kept = self.history().last(400).filter { $0.refused > 0 }
        #expect(kept.count == FigureHistory.hoursMax)
    }

    @Test(arguments: ["", "{", "[]", #"{"hours":[{"hour":"x"}]}"#])
    func `a damaged file is as none`(_ text: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder.file("figures"), withIntermediateDirectories: true)
        try text.write(
            toFile: folder.file("figures/hours.json"), atomically: true, encoding: .utf8)
        #expect(history().last(24).allSatisfy { $0.refused == 0 })
    }

    @Test func `sums are by endpoint and currency and never across`() throws {
        let now = 500_000
        func row(_ hour: Int, _ endpoint: String, _ minor: Int64, _ code: String) throws
            -> PaidHours.Row
        {
            PaidHours.Row(
                hour: Timestamp(microseconds: Int64(hour) * PaidHours.hourMicroseconds),
                endpoint: endpoint, orders: 2,
                captured: Money(minor: minor, currency: try #require(Currency(code))))
        }
        let paid = PaidHours(
            rows: [
                try row(now, "a", 100, "MYR"), try row(now - 1, "a", 50, "MYR"),
                try row(now, "a", 7, "JPY"), try row(now, "b", 1, "MYR"),
                try row(now - 24, "a", 9999, "MYR"),
            ], isCut: false)
        let values = DayFigures(history: nil, now: now).values(paid)
        let rows = try #require(values["paid"] as? [PageValues])
        #expect(
            rows.map { "\($0["endpoint"] ?? "") \($0["orders"] ?? "") \($0["captured"] ?? "")" }
                == ["a 2 7 JPY", "a 4 1.50 MYR", "b 2 0.01 MYR"])
        let charts = try #require(values["charts"] as? [PageValues])
        #expect(charts.first?["total"] as? String == "8")
        #expect((charts.first?["bars"] as? [PageValues])?.count == 24)
    }
}
