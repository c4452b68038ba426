import Glibc

/// The configuration file of a command without `--config`.
///
/// | | file |
/// |---|---|
/// | `IPND_CONFIG` is set | the one that it names |
/// | there is an `/etc/ipnd/ipnd.yaml` | that |
/// | otherwise | `ipnd.yaml` in the working directory |
enum ConfigurationFile {
    static let variable = "IPND_CONFIG"
    static let ofSystem = "/etc/ipnd/ipnd.yaml"
    static let here = "ipnd.yaml"

    static func usual() -> String {
        let named = getenv(variable).map { String(cString: $0) } ?? ""
        return usual(named: named, hasSystemFile: access(ofSystem, F_OK) == 0)
    }

    /// - Parameter named: The variable's value; empty counts as not set.
    static func usual(named: String, hasSystemFile: Bool) -> String {
        if !named.isEmpty { return named }
        return hasSystemFile ? ofSystem : here
    }
}
