extension Answer {
    /// Systems that look at the status alone get one short word with every failure: enough for a
    /// person with `curl`, and nothing that tells a forger which check failed.
    package static func plainText(_ verdict: Verdict, accepted: Answer) -> Answer {
        switch verdict {
        case .accepted: accepted
        case .refused(let refusal):
            switch refusal.kind {
            case .unauthenticated: word("unauthenticated", status: 401)
            case .malformed: word("malformed", status: 400)
            }
        case .unavailable: word("unavailable", status: 503)
        }
    }

    /// `200` with the body `ok`, which Citcon's own demos send.
    package static let ok = word("ok", status: 200)

    /// `200` with nothing in it.
    package static let empty = Answer(status: 200)

    private static func word(_ word: String, status: Int) -> Answer {
        Answer(status: status, contentType: "text/plain", body: Array(word.utf8))
    }
}
