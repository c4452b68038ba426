import Payments
import Synchronization

/// The certificates that providers sign with, in PEM by the URL at which they are published.
///
/// One that is missing is fetched by the server, once. Anyone who can reach an endpoint can name
/// URLs, so fetches are bounded: by a rate, by their number at one time, and by a pause after one
/// that failed. The provider has checked host and path before.
package final class CertificateCache: Sendable {
    /// Returns the body that a URL answers with; nil where it cannot be had.
    package typealias Fetch = @Sendable (_ url: String) async -> String?
    /// Keeps a certificate beyond the process.
    package typealias Keep = @Sendable (_ url: String, _ pem: String) -> Void

    /// The bounds of fetching.
    package struct Bounds: Sendable {
        /// Fetches that may be made at once after a pause.
        package var burst = 10
        /// Seconds after which one more may be made.
        package var secondsPerFetch = 10
        /// Fetches in flight.
        package var inFlightMax = 4
        /// Seconds in which a URL that could not be had is not asked again.
        package var pauseSeconds = 60
        /// Certificates that are kept, and URLs whose failure is remembered.
        package var countMax = 256

        package init() {}
    }

    private struct State {
        var known: [String: String]
        var executor: (any TaskExecutor)?
        var fetch: Fetch?
        var keep: Keep?
        var inFlight: [String: Task<String?, Never>] = [:]
        /// When each URL that failed may be asked again.
        var pauses: [String: Timestamp] = [:]
        var tokens: Int
        /// When the last token was added.
        var refilled = Timestamp(microseconds: 0)
    }

    private let bounds: Bounds
    private let state: Mutex<State>

    /// - Parameter known: Certificates in PEM by their URLs.
    package init(_ known: [String: String] = [:], bounds: Bounds = Bounds()) {
        self.bounds = bounds
        state = Mutex(State(known: known, tokens: bounds.burst))
    }

    /// The certificate at `url`, as far as it is known.
    package func certificate(at url: String) -> String? { state.withLock { $0.known[url] } }

    /// Adds one that was kept.
    package func add(_ pem: String, at url: String) { state.withLock { $0.known[url] = pem } }

    /// Lets it fetch what is missing. Without this it fetches nothing.
    ///
    /// - Parameter executor: Runs the fetches; nil for Swift's pool.
    package func connect(
        executor: (any TaskExecutor)? = nil, fetch: @escaping Fetch, keep: @escaping Keep
    ) {
        state.withLock {
            $0.executor = executor
            $0.fetch = fetch
            $0.keep = keep
        }
    }

    /// Fetches the certificate at `url`, unless it is there and `isUsable`, or the bounds forbid
    /// it. Returns when it was fetched or could not be.
    ///
    /// - Parameters:
    ///   - now: The time, from which rate and pauses are counted.
    ///   - isUsable: Whether a certificate verifies today. One that does not is used, so that the
    ///     refusal names the reason, but not kept.
    package func obtain(
        _ url: String, now: Timestamp, isUsable: @escaping @Sendable (_ pem: String) -> Bool
    ) async {
        if let known = certificate(at: url), isUsable(known) { return }
        let task = state.withLock { state -> Task<String?, Never>? in
            if let task = state.inFlight[url] { return task }
            guard let fetch = state.fetch, take(url, now, &state) else { return nil }
            let task = Task(executorPreference: state.executor) {
                let pem = await fetch(url)
                self.finish(url, pem, now, isUsable)
                return pem
            }
            state.inFlight[url] = task
            return task
        }
        _ = await task?.value
    }

    /// Whether a fetch of `url` may begin now; takes its token.
    private func take(_ url: String, _ now: Timestamp, _ state: inout State) -> Bool {
        if let pause = state.pauses[url], now < pause { return false }
        let step = Int64(bounds.secondsPerFetch) * 1_000_000
        let steps = (now.microseconds - state.refilled.microseconds) / step
        // The clock may be set back.
        if steps != 0 || now < state.refilled {
            state.tokens = Int(min(Int64(bounds.burst), Int64(state.tokens) + max(steps, 0)))
            state.refilled = now
        }
        guard state.tokens > 0, state.inFlight.count < bounds.inFlightMax else { return false }
        state.tokens -= 1
        return true
    }

    private func finish(
        _ url: String, _ pem: String?, _ now: Timestamp, _ isUsable: (String) -> Bool
    ) {
        let isGood = pem.map(isUsable) ?? false
        let keep = state.withLock { state -> Keep? in
            state.inFlight[url] = nil
            if !isGood {
                if state.pauses.count >= bounds.countMax { state.pauses.removeAll() }
                let pause = Int64(bounds.pauseSeconds) * 1_000_000
                state.pauses[url] = Timestamp(microseconds: now.microseconds + pause)
            }
            guard let pem else { return nil }
            let hasRoom = state.known.count < bounds.countMax || state.known[url] != nil
            if hasRoom { state.known[url] = pem }
            return hasRoom && isGood ? state.keep : nil
        }
        if let pem { keep?(url, pem) }
    }
}
