import ArgumentParser
import Console
import Glibc

/// The verdict of `ipnd journal verify` and `ipnd database verify`, after their figures.
struct VerificationVerdict {
    /// The owner of the hash chain: `journal` or `record`.
    let chain: String
    /// The first damage; nil if there is none.
    let damage: String?
    /// Whether a chain head saved earlier was given.
    let hasAnchor: Bool
    /// The record after which that chain head was found.
    let anchorSequence: UInt64?

    /// Prints the verdict. Throws an exit status after printing the reason unless everything is
    /// intact.
    ///
    /// - Parameter signatures: Nil if signatures were not verified.
    func report(_ signatures: SignatureCheck?) throws {
        if let damage {
            StandardError.print("ipnd: \(damage)")
            throw ExitCode(EX_OSFILE)
        }
        if hasAnchor {
            guard let anchorSequence else {
                StandardError.print(
                    "ipnd: the anchor is not in this \(chain)'s chain: rewritten or truncated")
                throw ExitCode(EX_OSFILE)
            }
            var report = NamedValues()
            report.line("anchor", "found after sequence \(anchorSequence)")
            StandardOutput.print(report.text())
        }
        try signatures?.report()
        StandardOutput.print("intact")
    }
}
