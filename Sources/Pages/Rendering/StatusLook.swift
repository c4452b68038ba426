import Payments

/// The appearance of a status: a word, a sign and a tone. The word is always shown, so that no
/// information is in the colour alone.
struct StatusLook {
    enum Tone: String {
        case good, wait, warn, bad
        case quiet = "still"
    }

    let word: String
    let sign: String
    let tone: Tone

    var values: PageValues { ["word": word, "sign": sign, "tone": tone.rawValue] }

    /// The appearance of an order's status, given as the API's word.
    init(order word: String) {
        switch OrderStatus(rawValue: word) {
        case .pending: self.init("Pending", "◷", .wait)
        case .authorized: self.init("Authorised", "◑", .wait)
        case .paid: self.init("Paid", "✓", .good)
        case .partiallyRefunded: self.init("Partially refunded", "↶", .quiet)
        case .refunded: self.init("Refunded", "↶", .quiet)
        case .failed: self.init("Failed", "✕", .bad)
        case .canceled: self.init("Cancelled", "✕", .quiet)
        case .expired: self.init("Expired", "◌", .quiet)
        case .disputed: self.init("Disputed", "!", .warn)
        case .chargedBack: self.init("Charged back", "!", .bad)
        case .review: self.init("Review", "?", .warn)
        case nil: self.init(word, "", .quiet)
        }
    }

    init(_ word: String, _ sign: String, _ tone: Tone) {
        self.word = word
        self.sign = sign
        self.tone = tone
    }

    /// A word of the API with spaces, such as `partially refunded`.
    static func plain(_ word: String) -> String {
        word.split(separator: "_").joined(separator: " ")
    }
}
