import JSON
import Payments

extension JSONValue {
    /// The text of an id, a status or another word: a string that is not empty, not longer than
    /// ``wordBytesMax`` and free of control characters. Nil for anything else, so that a field of
    /// the wrong type is as good as none.
    var word: String? { string { $0.isWord } }

    /// ``word``, or the literal text of a number: for systems that write some ids as numbers.
    var wordOrNumber: String? {
        guard kind == .number else { return word }
        guard let lexeme, lexeme.utf8.count <= wordBytesMax else { return nil }
        return lexeme
    }
}
