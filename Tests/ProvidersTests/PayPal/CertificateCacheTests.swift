import Payments
import Synchronization
import Testing

@testable import Providers

/// What strangers may make the server fetch.
@Suite struct CertificateCacheTests {
    /// A server of certificates that counts the requests.
    private final class Origin: Sendable {
        private struct State {
            var answers: [String: String] = [:]
            var asked: [String] = []
            var kept: [String: String] = [:]
        }

        private let state: Mutex<State>

        init(_ answers: [String: String] = [:]) { state = Mutex(State(answers: answers)) }

        var asked: [String] { state.withLock { $0.asked } }
        var kept: [String: String] { state.withLock { $0.kept } }

        func connect(_ cache: CertificateCache) {
            cache.connect(
                fetch: { url in
                    self.state.withLock {
                        $0.asked.append(url)
                        return $0.answers[url]
                    }
                }, keep: { url, pem in self.state.withLock { $0.kept[url] = pem } })
        }
    }

    private func time(_ seconds: Int64) -> Timestamp {
        Timestamp(microseconds: seconds * 1_000_000)
    }

    @Test func `one that is there is not fetched`() async {
        let cache = CertificateCache(["u": "good"])
        let origin = Origin(["u": "other"])
        origin.connect(cache)
        await cache.obtain("u", now: time(0)) { $0 == "good" }
        #expect(origin.asked.isEmpty && cache.certificate(at: "u") == "good")
    }

    @Test func `one that is missing is fetched once and kept`() async {
        let cache = CertificateCache()
        let origin = Origin(["u": "good"])
        origin.connect(cache)
        for second in 0..<3 { await cache.obtain("u", now: time(Int64(second))) { _ in true } }
        #expect(origin.asked == ["u"] && origin.kept == ["u": "good"])
        #expect(cache.certificate(at: "u") == "good")
    }

    @Test func `many that wait for one cause one fetch`() async {
        let cache = CertificateCache()
        let gate = Gate()
        let count = Mutex(0)
        cache.connect(
            fetch: { _ in
                count.withLock { $0 += 1 }
                await gate.wait()
                return "good"
            }, keep: { _, _ in })
        await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    await cache.obtain("u", now: Timestamp(microseconds: 0)) { _ in true }
                }
            }
            gate.open()
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `one that could not be had is asked again after a pause`() async {
        let cache = CertificateCache()
        let origin = Origin()
        origin.connect(cache)
        for second: Int64 in [0, 1, 59, 60, 61] {
            await cache.obtain("u", now: time(second)) { _ in true }
        }
        #expect(origin.asked.count == 2 && cache.certificate(at: "u") == nil)
    }

    /// The refusal then names the reason, and another certificate may come.
    @Test func `one that does not verify is used but not kept`() async {
        let cache = CertificateCache()
        let origin = Origin(["u": "bad"])
        origin.connect(cache)
        for second: Int64 in [0, 1, 60] {
            await cache.obtain("u", now: time(second)) { _ in false }
        }
        #expect(cache.certificate(at: "u") == "bad")
        #expect(origin.asked.count == 2 && origin.kept.isEmpty)
    }

    @Test func `unknown URLs are fetched at a bounded rate`() async {
        var bounds = CertificateCache.Bounds()
        bounds.burst = 3
        bounds.secondsPerFetch = 10
        let cache = CertificateCache(bounds: bounds)
        let origin = Origin()
        origin.connect(cache)
        for number in 0..<100 { await cache.obtain("u\(number)", now: time(5)) { _ in true } }
        #expect(origin.asked.count == 3)
        for number in 100..<200 { await cache.obtain("u\(number)", now: time(16)) { _ in true } }
        #expect(origin.asked.count == 4)
        for number in 200..<300 { await cache.obtain("u\(number)", now: time(99)) { _ in true } }
        #expect(origin.asked.count == 7)
    }

    @Test func `only so many failures and certificates are remembered`() async {
        var bounds = CertificateCache.Bounds()
        bounds.countMax = 2
        let cache = CertificateCache(bounds: bounds)
        let origin = Origin(["good 1": "1", "good 2": "2", "good 3": "3"])
        origin.connect(cache)
        // The third failure takes the place of the first two.
        for url in ["a", "b", "a", "c", "a"] { await cache.obtain(url, now: time(0)) { _ in true } }
        #expect(origin.asked == ["a", "b", "c", "a"])
        for url in ["good 1", "good 2", "good 3"] {
            await cache.obtain(url, now: time(0)) { _ in true }
        }
        #expect(cache.certificate(at: "good 2") == "2" && cache.certificate(at: "good 3") == nil)
        #expect(origin.kept.count == 2)
    }

    @Test func `only so many are fetched at one time`() async {
        var bounds = CertificateCache.Bounds()
        bounds.inFlightMax = 2
        let cache = CertificateCache(bounds: bounds)
        let gate = Gate()
        let count = Mutex(0)
        cache.connect(
            fetch: { _ in
                count.withLock { $0 += 1 }
                await gate.wait()
                return nil
            }, keep: { _, _ in })
        let tasks = (0..<2).map { number in
            Task { await cache.obtain("u\(number)", now: Timestamp(microseconds: 0)) { _ in true } }
        }
        while count.withLock({ $0 }) < 2 { await Task.yield() }
        await cache.obtain("u2", now: time(0)) { _ in true }
        #expect(count.withLock { $0 } == 2)
        gate.open()
        for task in tasks { await task.value }
    }
}

/// Lets tasks wait until it is opened.
private final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
