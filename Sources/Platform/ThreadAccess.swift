import CLinux
import Glibc

/// The file access of another user, for the calling thread only.
package enum ThreadAccess {
    /// Runs `body` with the file access of a user and of its groups. Nil where this thread cannot
    /// have it, which takes root.
    package static func run<Value>(
        as name: String, user: UInt32, group: UInt32, _ body: () -> Value
    ) -> Value? {
        let own = (user: geteuid(), group: getegid(), groups: ownGroups())
        guard own.user == 0 else { return nil }
        let groups = groups(of: name, group)
        defer { _ = ipnd_thread_access(own.user, own.group, own.groups.count, own.groups) }
        guard ipnd_thread_access(user, group, groups.count, groups) else { return nil }
        return body()
    }

    private static func ownGroups() -> [gid_t] {
        var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        let count = getgroups(Int32(groups.count), &groups)
        return Array(groups.prefix(Int(max(0, count))))
    }

    private static func groups(of name: String, _ group: gid_t) -> [gid_t] {
        var count: Int32 = 64
        var groups = [gid_t](repeating: group, count: Int(count))
        if getgrouplist(name, group, &groups, &count) < 0 {
            groups = [gid_t](repeating: group, count: Int(count))
            _ = getgrouplist(name, group, &groups, &count)
        }
        return Array(groups.prefix(Int(max(0, count))))
    }
}
