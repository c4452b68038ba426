import ArgumentParser
import Console
import Glibc
import RawClient

/// The reason why the admin listener gave no usable answer.
struct AdminFailure: Error {
    let text: String
    /// Whether a restart of the server could cause it.
    let isTemporary: Bool
    var exitStatus = EX_UNAVAILABLE

    /// Prints the reason and returns the exit status to throw.
    func reported() -> ExitCode {
        StandardError.print("ipnd: \(text)")
        return ExitCode(exitStatus)
    }

    /// The exit status for an error of the server. An unknown name is a usage error; a refusal,
    /// such as a decision about an order that has changed, is a negative result.
    static func exitStatus(ofAnswer status: Int) -> Int32 {
        switch status {
        case 400, 404, 422: EX_USAGE
        case 409, 412, 429: EXIT_FAILURE
        default: EX_UNAVAILABLE
        }
    }
}

extension ClientError {
    /// Whether a restarted server could answer.
    var isTemporary: Bool {
        switch self {
        case .malformed, .tooLarge: false
        default: true
        }
    }
}
