import Testing

@testable import Platform

@Suite struct HistogramTests {
    @Test func `a value counts in the first bucket that holds it`() {
        let histogram = Histogram(bounds: [1, 10])
        for value in [0, 1, 2, 10, 11, 1000] { histogram.add(value) }
        #expect(
            histogram.read()
                == HistogramCounts(bounds: [1, 10], counts: [2, 2, 2], sum: 1024))
    }

    @Test func `none is lost where threads add at once`() {
        let histogram = Histogram(bounds: [5])
        let threads = (0..<2).map { _ in
            PlatformThread(name: "add") { for value in 0..<10_000 { histogram.add(value % 10) } }
        }
        for thread in threads { thread.join() }
        #expect(histogram.read().counts == [12_000, 8000])
        #expect(histogram.read().sum == 90_000)
    }
}
