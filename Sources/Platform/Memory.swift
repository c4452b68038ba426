import CLinux

/// The process's memory as the kernel sees it.
package enum Memory {
    /// Gives what was freed back to the system (malloc_trim(3)). glibc by itself gives back only
    /// what lies at the end of a heap.
    package static func giveBack() { malloc_trim(0) }
}
