import TestSupport

extension CorpusCase {
    /// Describes the difference from the `strict` column's outcome; nil if there is none.
    func complaint(about connection: EchoConnection) -> String? {
        if noInterim == true, connection.continues > 0 { return "sent 100 Continue" }
        switch strict {
        case "accept":
            return acceptComplaint(connection)
        case "either":
            guard let first = acceptComplaint(connection) else { return nil }
            return rejectComplaint(connection).map { "neither: \(first) | \($0)" }
        case "wait":
            return connection.answers.isEmpty ? nil : "answered an incomplete request"
        default:
            return rejectComplaint(connection)
        }
    }

    private func acceptComplaint(_ connection: EchoConnection) -> String? {
        let answers = connection.answers
        guard let last = answers.last else { return "no answer" }
        guard answers.count <= responses else { return "\(answers.count) answers: out of step" }
        if last.status >= 300, alsoAccept?.contains(last.status) == true { return nil }
        if let bad = answers.first(where: { $0.status >= 300 }) { return "\(bad)" }
        guard answers.count == responses else { return "\(answers.count) answers" }
        if close == true, !connection.isClosed { return "left open" }
        if close != true, connection.isClosed { return "closed a kept-alive connection" }
        if let body, head == nil, answers[0].body != latin1(body) {
            return "echo \(answers[0].body)"
        }
        return nil
    }

    private func rejectComplaint(_ connection: EchoConnection) -> String? {
        let answers = connection.answers
        let before = firstOK ?? 0
        if mayWait == true, answers.count == before, answers.allSatisfy({ $0.status < 300 }) {
            return nil
        }
        guard answers.count > before else { return "no answer" }
        if let bad = answers.prefix(before).first(where: { $0.status >= 300 }) {
            return "refused before the bad part: \(bad)"
        }
        guard ((status ?? []) + [400]).contains(answers[before].status) else {
            return "answered \(answers[before])"
        }
        guard answers.count == before + 1 else { return "went on after the error" }
        return connection.isClosed ? nil : "left open"
    }
}
