import HTTPServer
import Platform
import TLS

/// A decoded value and its place in the file, to which later checks point.
struct Placed<Value> {
    var value: Value
    var place: ValueReader
}

extension ConfigurationReader {
    func listeners() -> [Placed<ListenerConfiguration>] {
        let remedy = "write `listeners: [{address: 127.0.0.1:8080}]`"
        guard let value = root.required("listeners", remedy), let values = value.sequence() else {
            return []
        }
        if values.isEmpty { value.mistake("is empty", remedy) }
        return values.compactMap(listener)
    }

    private func listener(_ value: ValueReader) -> Placed<ListenerConfiguration>? {
        guard let section = value.mapping() else { return nil }
        let listener = listener(in: section)
        section.finish()
        return listener
    }

    /// The keys of a listener in a section that may have others.
    func listener(in section: MappingReader) -> Placed<ListenerConfiguration>? {
        let place = section.required("address", "write `address: 127.0.0.1:8080`")
        let address = place?.address()
        let tls = section.optional("tls").flatMap { self.tls($0) }
        let proxy = section.optional("proxy").flatMap { self.proxy($0, on: address) }
        let permissions = section.optional("mode")?.socketPermissions(on: address)
        guard let address, let place else { return nil }
        return Placed(
            value: ListenerConfiguration(
                address: address, tls: tls, proxy: proxy ?? .init(), permissions: permissions),
            place: place)
    }

    enum ProxyProtocol: String, CaseIterable { case proxy }

    func proxy(_ value: ValueReader, on address: SocketAddress?) -> ProxySettings? {
        guard let section = value.mapping() else { return nil }
        let trusted = section.optional("trusted")?.networks()
        let header = section.optional("header")?.choice(ProxyHeaderName.self)
        let usesProtocol = section.optional("protocol")?.choice(ProxyProtocol.self) != nil
        section.finish()
        switch (section.contains("header"), section.contains("protocol")) {
        case (true, true):
            value.mistake(
                "has both `header` and `protocol`",
                "keep the one that the proxy uses")
        case (false, false):
            value.mistake(
                "has neither `header` nor `protocol`",
                "write `header: x-forwarded-for`, `header: forwarded` or `protocol: proxy`")
        default: break
        }
        if case .ip? = address, !section.contains("trusted") {
            if section.contains("header") {
                section.mistake(
                    "trusted",
                    "this key is missing, so \(header?.rawValue ?? "the header") is ignored",
                    "list the proxy's addresses: `trusted: [127.0.0.1/32]`")
            } else if usesProtocol, address?.isLocal == false {
                value.warning(
                    "anyone who can reach this port can claim any client address",
                    "restrict it to the proxy with a firewall or a loopback address")
            }
        }
        return ProxySettings(
            trusted: trusted ?? [], header: header?.header, usesProxyProtocol: usesProtocol)
    }

    func tls(_ value: ValueReader) -> TLSConfiguration? {
        guard let section = value.mapping() else { return nil }
        let primary = pair(section)
        let clientCA = section.optional("clientCA")?.readablePath()
        let sessionsMax = section.optional("sessionsMax")?.integer(in: 0...1_000_000)
        let additional = section.optional("additional")?.sequence()?.map(additionalPair)
        section.finish()
        let others = (additional ?? []).compactMap { $0 }
        guard let primary, others.count == additional?.count ?? 0 else { return nil }
        do throws(TLSError) {
            let context = try TLSContext(
                certificateFile: primary.certificate, keyFile: primary.key, clientCAFile: clientCA,
                additional: others.map { ($0.certificate, $0.key) },
                sessionsMax: sessionsMax ?? TLSContext.defaultSessionsMax)
            return TLSConfiguration(
                primary: primary, clientCA: clientCA, additional: others, context: context)
        } catch {
            let key = error.key(in: primary, clientCA: clientCA, additional: others)
            report(error, at: key.flatMap { value.value(at: $0) } ?? value)
            return nil
        }
    }

    private func additionalPair(_ value: ValueReader) -> TLSConfiguration.Pair? {
        guard let section = value.mapping() else { return nil }
        let pair = pair(section)
        section.finish()
        return pair
    }

    private func pair(_ section: MappingReader) -> TLSConfiguration.Pair? {
        let certificate = section.required("certificate", "write `certificate: tls/cert.pem`")?
            .readablePath()
        let keyPlace = section.required("key", "write `key: tls/key.pem`")
        let key = keyPlace?.readablePath()
        guard let certificate, let keyPlace, let key else { return nil }
        // `TLSContext` reports a file that cannot be read.
        if let contents = try? FileContents(path: key, bytesMax: 1 << 20) {
            keyPlace.warnIfExposed(contents, key)
        }
        return TLSConfiguration.Pair(certificate: certificate, key: key)
    }

    private func report(_ error: TLSError, at place: ValueReader) {
        var problem = "\(error)"
        if problem.hasSuffix(".") { problem.removeLast() }
        place.mistake(problem, error.remedy)
    }

    /// Reports an address that is used twice: two sockets cannot be bound to one address.
    func checkAddresses(
        _ listeners: [Placed<ListenerConfiguration>], _ admin: Placed<AdminConfiguration>?,
        _ outcome: Placed<OutcomeConfiguration>?
    ) {
        var seen: [SocketAddress: String] = [:]
        let all =
            listeners.map { ($0.value.address, $0.place) }
            + (admin.map { [($0.value.address, $0.place)] } ?? [])
            + (outcome.map { [($0.value.listener.address, $0.place)] } ?? [])
        for (address, place) in all {
            if address.isAnyPort { continue }
            if let first = seen[address] {
                place.mistake("\(address) is already used by \(first)", "choose another address")
            } else {
                seen[address] = place.key
            }
        }
    }
}

/// The headers that `proxy.header` may name, as the configuration spells them.
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

extension SocketAddress {
    /// Whether the port is 0, for which the kernel assigns another free port each time.
    var isAnyPort: Bool {
        if case .ip(_, port: 0) = self { true } else { false }
    }

    /// Whether only this machine can connect: a Unix-domain socket, 127.0.0.0/8 (RFC 1122 §3.2.1.3)
    /// or ::1.
    package var isLocal: Bool {
        switch self {
        case .unix: true
        case .ip(.v4(let bytes), _): bytes.first == 127
        case .ip(.v6(let bytes), _): bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        }
    }
}
