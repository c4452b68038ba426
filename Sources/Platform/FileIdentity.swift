import Glibc
import SystemPackage

/// Which file or directory it is, whatever it is called: its device and its number there.
package struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// What `path` leads to now. See stat(2).
    package init(path: String) throws(Errno) {
        var status = Glibc.stat()
        try FileCall.retrying { stat(path, &status) }
        self.init(status)
    }

    init(descriptor: Int32) throws(Errno) {
        var status = Glibc.stat()
        try FileCall.retrying { fstat(descriptor, &status) }
        self.init(status)
    }

    private init(_ status: stat) {
        self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }
}
