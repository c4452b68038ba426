import ArgumentParser
import Glibc
import RawClient

/// Why the admin listener gave no answer to use.
struct AdminFailure: Error {
    let text: String
    /// A restart looks like it.
    let isTemporary: Bool
    var exitStatus = EX_UNAVAILABLE

    /// Says why; the exit status to throw.
    func told() -> ExitCode {
        StandardError.print("ipnd: \(text)")
        return ExitCode(exitStatus)
    }

    /// The server is there. What it does not know was mistyped; what it refuses now, such as an act
    /// on an order that has changed, is a negative result.
    static func exitStatus(ofAnswer status: Int) -> Int32 {
        switch status {
        case 400, 404, 422: EX_USAGE
        case 409, 412, 429: EXIT_FAILURE
        default: EX_UNAVAILABLE
        }
    }
}

extension ClientError {
    /// Whether a server that comes back would answer.
    var isTemporary: Bool {
        switch self {
        case .malformed, .tooLarge: false
        default: true
        }
    }
}
