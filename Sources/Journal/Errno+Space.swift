import SystemPackage

extension Errno {
    /// ENOSPC or EDQUOT: nothing is broken, there is no room.
    var isLackOfSpace: Bool { self == .noSpace || self == .diskQuotaExceeded }
}
