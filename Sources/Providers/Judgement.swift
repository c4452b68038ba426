/// What the provider makes of an answer.
package enum Judgement: Sendable, Equatable {
    case accepted
    /// It would send again (or give up, where its schedule is over), for this reason.
    case sendsAgain(String)
}
