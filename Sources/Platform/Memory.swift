import CLinux

/// The process's memory.
package enum Memory {
    /// Returns freed memory to the system (malloc_trim(3)). glibc by itself returns only what is at
    /// the end of a heap.
    package static func giveBack() { malloc_trim(0) }

    /// Makes every large block return to the system when it is freed. glibc by itself raises the
    /// threshold to the largest block that was ever freed (mallopt(3), M_MMAP_THRESHOLD), and so
    /// keeps the memory of a few large answers forever.
    package static func returnLargeBlocks() {
        mallopt(M_MMAP_THRESHOLD, 256 << 10)
        // Setting one parameter ends the automatic adjustment of the other, which would stay too
        // small.
        mallopt(M_TRIM_THRESHOLD, 2 << 20)
    }

    /// Keeps keys, secrets and requests out of core files and hidden from other processes of this
    /// user (prctl(2), PR_SET_DUMPABLE).
    package static func forbidDumps() { ipnd_forbid_dumps() }
}
