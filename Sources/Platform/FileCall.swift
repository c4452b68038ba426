import CLinux
import Glibc
import SystemPackage

/// How a file system call's result becomes a value or a thrown `Errno`.
enum FileCall {
    /// Runs `call` until a signal no longer interrupts it. EINTR says that nothing was done (signal(7)), so the same
    /// call can be made again; every other error is thrown.
    @discardableResult
    static func retrying<Result: FixedWidthInteger & SignedInteger>(
        _ call: () -> Result
    ) throws(Errno) -> Result {
        while true {
            let result = call()
            if result >= 0 { return result }
            let error = Errno(rawValue: errno)
            if error != .interrupted { throw error }
        }
    }
}
