import CLinux

/// The process's memory as the kernel sees it.
package enum Memory {
    /// Gives what was freed back to the system (malloc_trim(3)). glibc by itself gives back only
    /// what lies at the end of a heap.
    package static func giveBack() { malloc_trim(0) }

    /// From here on every large block goes back when it is freed. glibc by itself raises the
    /// threshold to the largest block that was ever freed (mallopt(3), M_MMAP_THRESHOLD), and keeps
    /// what some large answers took for ever.
    package static func returnLargeBlocks() {
        mallopt(M_MMAP_THRESHOLD, 256 << 10)
        // Setting one ends the adjustment of the other, which would leave it too small.
        mallopt(M_TRIM_THRESHOLD, 2 << 20)
    }

    /// Keeps keys, secrets and requests out of core files and from other processes of this user
    /// (prctl(2), PR_SET_DUMPABLE).
    package static func forbidDumps() { ipnd_forbid_dumps() }
}
