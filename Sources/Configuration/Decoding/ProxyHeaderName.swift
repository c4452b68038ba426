import HTTPServer

/// The headers that `proxy.header` may name, as words of the configuration.
enum ProxyHeaderName: String, CaseIterable {
    case forwardedFor = "x-forwarded-for"
    /// RFC 7239.
    case forwarded

    var header: ProxySettings.Header {
        switch self {
        case .forwardedFor: .forwardedFor
        case .forwarded: .forwarded
        }
    }
}
