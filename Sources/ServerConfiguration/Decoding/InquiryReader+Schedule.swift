import Providers

extension InquiryReader {
    /// One year; a longer time is taken for a mistake.
    private static let secondsMax = 31_536_000.0
    /// Minimum of `repeatSeconds`. Repeated questions are looked up one by one; shorter intervals
    /// belong in `schedule`.
    private static let repeatSecondsMin = 3600.0
    private static let stepsMax = 100

    /// Reads the times of automatic inquiries, and their limits. Every key is optional.
    ///
    /// - Parameter first: Times of the system's own, before the usual ones.
    func schedule(after first: [Double]) -> InquirySchedule {
        var schedule = InquirySchedule()
        schedule.schedule = first + schedule.schedule
        section.optional("schedule").flatMap { steps($0) }.map { schedule.schedule = $0 }
        section.optional("repeatSeconds")?
            .seconds(in: Self.repeatSecondsMin...Self.secondsMax)
            .map { schedule.repeatSeconds = $0 }
        section.optional("daysAfterExpiry")?.integer(in: 0...3650)
            .map { schedule.daysAfterExpiry = $0 }
        section.optional("secondsPerQuestion")?.seconds(in: 0.001...Self.secondsMax)
            .map { schedule.secondsPerQuestion = $0 }
        section.optional("secondsPerOrder")?.seconds(in: 0.001...Self.secondsMax)
            .map { schedule.secondsPerOrder = $0 }
        section.optional("concurrency")?.integer(in: 1...1000).map { schedule.concurrency = $0 }
        section.optional("breakerQuestions")?.integer(in: 1...10_000)
            .map { schedule.breakerQuestions = $0 }
        section.optional("breakerSeconds")?.seconds(in: 0.001...Self.secondsMax)
            .map { schedule.breakerSeconds = $0 }
        section.optional("retryAfterSecondsMax")?.seconds(in: 0...Self.secondsMax)
            .map { schedule.retryAfterSecondsMax = $0 }
        section.optional("waitingOrdersMax")?.integer(in: 1...1_000_000)
            .map { schedule.waitingOrdersMax = $0 }
        return schedule
    }

    private func steps(_ place: ValueReader) -> [Double]? {
        guard let values = place.sequence() else { return nil }
        guard values.count <= Self.stepsMax else {
            place.mistake("has \(values.count) times", "write at most \(Self.stepsMax)")
            return nil
        }
        let steps = values.compactMap { $0.seconds(in: 0.01...Self.secondsMax) }
        guard steps.count == values.count else { return nil }
        guard zip(steps, steps.dropFirst()).allSatisfy({ $0 < $1 }) else {
            place.mistake(
                "does not ascend", "write seconds after the last word, as in [60, 300, 3600]")
            return nil
        }
        return steps
    }
}
