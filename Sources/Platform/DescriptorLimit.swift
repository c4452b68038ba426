import Glibc

/// The number of descriptors that the process may have open (getrlimit(2), RLIMIT_NOFILE).
package enum DescriptorLimit {
    /// Raises the soft limit to the hard one and returns the resulting limit. The soft limit is
    /// 1024 by convention, for programs that use `select`, which this one does not.
    @discardableResult
    package static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 {
                limit = raised
            }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
