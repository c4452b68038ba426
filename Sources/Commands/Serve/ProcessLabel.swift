import Glibc

/// The name of this process in messages of other instances.
enum ProcessLabel {
    /// `host:process`.
    static var text: String {
        var name = [CChar](repeating: 0, count: 256)
        let isKnown = gethostname(&name, name.count - 1) == 0
        let host =
            isKnown ? String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self) : ""
        return "\(host):\(getpid())"
    }
}
