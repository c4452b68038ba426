import HTTPServer
import Platform

extension ConfigurationReader {
    func admin(_ value: ValueReader) -> Placed<AdminConfiguration>? {
        guard let section = value.mapping() else { return nil }
        let place = section.required("address", "write `address: 127.0.0.1:9090`")
        let address = place?.address()
        let tokenPlace = section.optional("token")
        let token = tokenPlace?.reference(.secret)
        if let token, let tokenPlace { warn(aboutShort: token.bytes, at: tokenPlace) }
        let viewerToken = viewerToken(section, beside: token?.bytes)
        let tls = section.optional("tls").flatMap { self.tls($0) }
        let permissions = section.optional("mode")?.socketPermissions(on: address)
        let listWait = section.optional("listWaitMillisecondsMax")?.integer(in: 0...60_000)
        let hosts = section.optional("hosts")?.list(Self.hostName)
        let people = people(section, besides: [token?.bytes, viewerToken].compactMap(\.self))
        let identity = section.optional("identity").flatMap { self.identity($0, section) }
        let proxy = section.optional("proxy").flatMap { self.proxy($0, on: address) }
        section.finish()
        warn(aboutUnseenPeople: people, identity, section)
        guard let address, let place else { return nil }
        if !address.isLocal {
            if !section.contains("token") {
                value.mistake(
                    "\(address) can be reached from other machines, so a token is required",
                    "write `token: {file: secrets/admin-token}` or listen on 127.0.0.1")
            }
            if !section.contains("tls") {
                value.warning(
                    "the token is sent unencrypted",
                    "add `tls`, or listen on 127.0.0.1")
            }
        }
        var admin = AdminConfiguration(
            address: address, token: token?.bytes, viewerToken: viewerToken, tls: tls,
            permissions: permissions)
        listWait.map { admin.listWaitMillisecondsMax = $0 }
        hosts.map { admin.hosts = $0 }
        admin.people = people
        admin.identity = identity
        proxy.map { admin.proxy = $0 }
        return Placed(value: admin, place: place)
    }

    /// Warns about a token that can be guessed. Anyone who reaches the listener can try tokens, and
    /// a token of fewer than 16 random bytes can be found by trying.
    private func warn(aboutShort token: [UInt8], at place: ValueReader) {
        let isHex = token.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
        }
        let bits = token.count * (isHex ? 4 : 6)
        guard bits < 128 || Set(token).count < 8 else { return }
        place.warning(
            "this token can be guessed: it is shorter than 16 random bytes",
            "create another one: `openssl rand -hex 32`")
    }

    /// Reads the viewers' token. It requires `token`, because without one every client may act.
    private func viewerToken(_ section: MappingReader, beside token: [UInt8]?) -> [UInt8]? {
        let key = "viewerToken"
        guard let place = section.optional(key) else { return nil }
        let viewerToken = place.reference(.secret)?.bytes
        if let viewerToken { warn(aboutShort: viewerToken, at: place) }
        if !section.contains("token") {
            place.mistake(
                "without `token` everyone may do everything",
                "write `token: {file: secrets/admin-token}`, too")
        } else if let viewerToken, viewerToken == token {
            place.mistake(
                "is the same as `token`, so viewers could act",
                "create another one: `openssl rand -hex 32`")
        }
        return viewerToken
    }

    // MARK: People

    /// Reads `people`.
    ///
    /// - Parameter tokens: Those of the section, which a person may not have.
    private func people(
        _ section: MappingReader, besides tokens: [[UInt8]]
    ) -> [AdminConfiguration.Person] {
        guard let place = section.optional("people"), let values = place.sequence() else {
            return []
        }
        if !section.contains("token") {
            place.mistake(
                "without `token` everyone may do everything",
                "write `token: {file: secrets/admin-token}`, too")
        }
        var known = tokens
        var names: Set<String> = []
        return values.compactMap { value in
            guard let person = person(value, known) else { return nil }
            if !names.insert(person.name).inserted {
                value.mistake("\(quoted(person.name)) is listed twice", "remove one of them")
            }
            person.token.map { known.append($0) }
            return person
        }
    }

    private func person(_ value: ValueReader, _ known: [[UInt8]]) -> AdminConfiguration.Person? {
        guard let section = value.mapping() else { return nil }
        let name = section.required("name", "write `name: alice`").flatMap(Self.personName)
        let role = section.required("role", "write `role: viewer`")?
            .choice(AdminConfiguration.Role.self)
        let place = section.optional("token")
        let token = place?.reference(.secret)?.bytes
        section.finish()
        if let token, let place {
            warn(aboutShort: token, at: place)
            if known.contains(token) {
                place.mistake(
                    "is another's token, so that their acts could not be told apart",
                    "create another one: `openssl rand -hex 32`")
            }
        }
        guard let name, let role else { return nil }
        return AdminConfiguration.Person(name: name, role: role, token: token)
    }

    private static func personName(_ value: ValueReader) -> String? {
        guard let text = value.filledText() else { return nil }
        guard PersonName.isValid(text.utf8) else {
            value.mistake(
                "\(quoted(text)) is not a person's name",
                "write up to 128 letters, digits and @._+-:/|= without spaces")
            return nil
        }
        guard !PersonName.reserved.contains(text) else {
            value.mistake(
                "\(quoted(text)) names callers without a person", "choose another name")
            return nil
        }
        return text
    }

    private func identity(
        _ value: ValueReader, _ admin: MappingReader
    ) -> AdminConfiguration.Identity? {
        guard let section = value.mapping() else { return nil }
        let header = section.required("header", "write `header: x-forwarded-user`")
            .flatMap(Self.headerName)
        let trusted = section.required("trusted", "write `trusted: [127.0.0.1/32]`")?.networks()
        let role = section.optional("role")?.choice(AdminConfiguration.Role.self)
        section.finish()
        if !admin.contains("token") {
            value.mistake(
                "without `token` everyone may do everything",
                "write `token: {file: secrets/admin-token}`, too")
        }
        guard let header, let trusted else { return nil }
        return AdminConfiguration.Identity(header: header, trusted: trusted, role: role)
    }

    /// Reads a field name (RFC 9110 §5.1).
    private static func headerName(_ value: ValueReader) -> String? {
        guard let text = value.filledText() else { return nil }
        let isGood = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
        let taken = ["authorization", "cookie", "host", "origin", "content-length"]
        guard isGood, !taken.contains(text.lowercased()) else {
            value.mistake(
                "\(quoted(text)) is not a header in which a proxy names a person",
                "write `header: x-forwarded-user`")
            return nil
        }
        return text.lowercased()
    }

    /// Warns about people who have no way in.
    private func warn(
        aboutUnseenPeople people: [AdminConfiguration.Person],
        _ identity: AdminConfiguration.Identity?, _ section: MappingReader
    ) {
        guard identity == nil, !section.contains("identity"),
            let person = people.first(where: { $0.token == nil }),
            let place = section.optional("people")
        else { return }
        place.warning(
            "\(person.name) has no `token`, and no `identity` names a proxy: cannot sign in",
            "add `token`, or `identity: {header: x-forwarded-user, trusted: [127.0.0.1/32]}`")
    }

    /// Reads a host name in the form of the `Host` header, without a port.
    private static func hostName(_ value: ValueReader) -> String? {
        guard let text = value.filledText() else { return nil }
        let isGood = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte) || "-._".utf8.contains(byte)
        }
        guard isGood, text.utf8.count <= 253 else {
            value.mistake(
                "“\(text)” is not the name of a host", "write it without scheme, port and path")
            return nil
        }
        return text
    }
}
