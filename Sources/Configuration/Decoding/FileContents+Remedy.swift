import Platform

extension FileContents.Problem {
    /// What to do about it.
    var remedy: String {
        switch self {
        case .missing: "create it or correct the path (relative ones count from this file's folder)"
        case .unreadable: "give the user that runs ipnd the right to read it"
        case .notRegular, .tooLarge: "correct the path"
        }
    }
}
