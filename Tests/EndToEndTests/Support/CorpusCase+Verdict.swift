import TestSupport

/// The strict rules of the corpus; warnings of its own driver are errors here.
extension CorpusCase {
    func complaint(about stream: AnswerStream, isClosed: Bool) -> String? {
        if let problem = stream.problem { return "not HTTP: \(problem)" }
        if noInterim == true, !stream.interims.isEmpty { return "sent \(stream.interims)" }
        if pauseBeforeBody == true, strict == "accept", stream.interims.isEmpty,
            stream.answers.isEmpty
        {
            return "no answer to Expect"
        }
        switch strict {
        case "accept": return acceptComplaint(stream, isClosed)
        case "wait":
            let bad = stream.answers.first { ![400, 408].contains($0.status) }
            return bad.map { "answered an incomplete request: \($0.status)" }
        case "either":
            guard let first = acceptComplaint(stream, isClosed) else { return nil }
            return refusalComplaint(stream, isClosed).map { "neither: \(first) | \($0)" }
        default: return refusalComplaint(stream, isClosed)
        }
    }

    private func acceptComplaint(_ stream: AnswerStream, _ isClosed: Bool) -> String? {
        let answers = stream.answers
        guard let last = answers.last else { return "no answer" }
        guard answers.count <= responses else { return "\(answers.count) answers: out of step" }
        if last.status >= 300, alsoAccept?.contains(last.status) == true { return nil }
        if let bad = answers.first(where: { $0.status >= 300 }) { return "status \(bad.status)" }
        guard answers.count == responses else { return "\(answers.count) answers of \(responses)" }
        if let noHeader, answers.contains(where: { !$0.values(noHeader).isEmpty }) {
            return "a field was injected"
        }
        if close == true {
            if !isClosed { return "left open" }
            if last.values("connection") != ["close"] { return "closed unannounced" }
        } else if isClosed {
            return "closed a kept-alive connection"
        }
        if let body, head == nil {
            let expected = body.unicodeScalars.map { UInt8($0.value) }
            if answers[0].body != expected { return "echoed \(answers[0].body.prefix(40))" }
        }
        return nil
    }

    private func refusalComplaint(_ stream: AnswerStream, _ isClosed: Bool) -> String? {
        let answers = stream.answers
        let before = firstOK ?? 0
        if mayWait == true, answers.count == before, answers.allSatisfy({ $0.status < 300 }) {
            return nil
        }
        guard answers.count > before else { return "no answer" }
        if let bad = answers.prefix(before).first(where: { $0.status >= 300 }) {
            return "refused before the bad part: \(bad.status)"
        }
        let refusal = answers[before]
        guard ((status ?? []) + [400]).contains(refusal.status) else {
            return "answered \(refusal.status)"
        }
        guard answers.count == before + 1 else { return "went on after the error" }
        if let field = needHeaderIf?["\(refusal.status)"], refusal.values(field).isEmpty {
            return "\(refusal.status) without \(field)"
        }
        if refusal.values("connection") != ["close"] { return "no Connection: close" }
        return isClosed ? nil : "left open"
    }
}
