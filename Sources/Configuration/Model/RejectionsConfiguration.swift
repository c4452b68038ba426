/// The bounded log of requests that were refused.
package struct RejectionsConfiguration: Sendable, Equatable {
    /// The absolute path of the directory that holds it.
    package var directory: String
    /// Entries kept; the oldest go first.
    package var countMax = 10_000
    /// Bytes kept.
    package var bytesMax = 64 << 20
    /// Entries written in one second; more are only counted, so that a flood costs no disk.
    package var perSecondMax = 20
    /// Bytes of a body at an unknown path that are read to find out whether it is a notification,
    /// which is then kept. 0: headers alone tell.
    package var inspectedBytesMax = 65_536

    package init(directory: String) { self.directory = directory }
}
