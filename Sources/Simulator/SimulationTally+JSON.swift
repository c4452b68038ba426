import JSON

extension SimulationTally {
    /// The last JSON line of a trial.
    ///
    /// - Parameter expected: What the scenario says of the order; nil where there is none.
    package func json(expected: ScenarioExpectation? = nil) -> [UInt8] {
        var json = JSONWriter(reserving: 256)
        json.beginObject()
        json.member("type", "summary")
        json.member("requests", requests)
        json.member("satisfied", satisfied)
        json.member("unsatisfied", unsatisfied)
        json.key("answers")
        json.beginObject()
        for (answer, count) in answers.sorted(by: { $0.key < $1.key }) {
            json.member(answer, count)
        }
        json.endObject()
        json.member("microsMedian", Int(quantile(0.5)))
        json.member("micros99", Int(quantile(0.99)))
        if let expected {
            json.key("expectedOrder")
            if let status = expected.status {
                json.beginObject()
                json.member("status", status.rawValue)
                json.member("refundedMinor", Int(expected.refunded.minor))
                json.endObject()
            } else {
                json.null()
            }
        }
        json.member("exitStatus", Int(exitStatus))
        json.endObject()
        return json.bytes
    }

    /// `3 × 200, 1 × connection_refused`
    package var answersText: String {
        answers.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
            .joined(separator: ", ")
    }
}
