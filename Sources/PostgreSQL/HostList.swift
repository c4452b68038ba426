/// The hosts of a connection string, in the order in which they are tried.
///
/// libpq can try several hosts itself, but then its `connect_timeout` applies only to blocking
/// calls, and the failures have no codes. So each host is tried separately here.
struct HostList {
    struct Host: CustomStringConvertible {
        var name: String?
        var address: String?
        var port: String?

        var description: String {
            let place = name ?? address ?? "the local socket"
            let shown = place.contains(":") ? "[\(place)]" : place
            return port.map { "\(shown):\($0)" } ?? shown
        }
    }

    let hosts: [Host]

    /// - Parameter options: libpq's `host`, `hostaddr` and `port`, each a comma-separated list. A
    ///   single port applies to all hosts.
    init(_ options: [String: String]) {
        func list(_ name: String) -> [String] {
            guard let text = options[name], !text.isEmpty else { return [] }
            return text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        let (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        func element(_ list: [String], _ index: Int) -> String? {
            let text = list.count == 1 ? list[0] : index < list.count ? list[index] : ""
            return text.isEmpty ? nil : text
        }
        hosts = (0..<max(names.count, addresses.count, 1)).map { index in
            Host(
                name: index < names.count ? element(names, index) : nil,
                address: index < addresses.count ? element(addresses, index) : nil,
                port: element(ports, index))
        }
    }

    /// The options reduced to one host.
    static func only(_ host: Host, of options: [String: String]) -> [String: String] {
        var single = options
        single["host"] = host.name
        single["hostaddr"] = host.address
        single["port"] = host.port
        return single
    }
}
