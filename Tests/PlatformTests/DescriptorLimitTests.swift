import Glibc
import Testing

@testable import Platform

@Suite struct DescriptorLimitTests {
    @Test func `the soft limit becomes the hard one`() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #expect(DescriptorLimit.raise() == Int(clamping: limit.rlim_max))
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #expect(limit.rlim_cur == limit.rlim_max)
    }
}
