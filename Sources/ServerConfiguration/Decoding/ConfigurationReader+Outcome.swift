import HTTPServer

extension ConfigurationReader {
    /// - Parameter hasAdmin: Whether there is an admin listener, which gives the tokens.
    func outcome(_ value: ValueReader, hasAdmin: Bool) -> Placed<OutcomeConfiguration>? {
        guard let section = value.mapping() else { return nil }
        let listener = listener(in: section)
        let secrets = [
            section.required("secret", "write `secret: {file: secrets/outcome}`"),
            section.optional("formerSecret"),
        ].map { $0.flatMap(outcomeSecret) }
        let origins = section.optional("allowOrigins")?.list(Self.origin)
        let hours = section.optional("tokenHours")?.integer(in: 1...8760)
        let connections = section.optional("connectionsMax")?.integer(in: 1...1_000_000)
        let waits = section.optional("waitsMax")?.integer(in: 0...1_000_000)
        let waitsPerOrder = section.optional("waitsPerOrderMax")?.integer(in: 1...1000)
        section.finish()
        if !hasAdmin {
            value.mistake(
                "there is no `admin` listener, which gives the tokens in the answer to an "
                    + "expectation", "add `admin`")
        }
        guard let listener, let secret = secrets[0] else { return nil }
        var outcome = OutcomeConfiguration(
            listener: listener.value, secrets: [secret] + [secrets[1]].compactMap(\.self))
        origins.map { outcome.allowOrigins = $0 }
        hours.map { outcome.tokenHours = $0 }
        connections.map { outcome.connectionsMax = $0 }
        waits.map { outcome.waitsMax = $0 }
        waitsPerOrder.map { outcome.waitsPerOrderMax = $0 }
        return Placed(value: outcome, place: listener.place)
    }

    private func outcomeSecret(_ place: ValueReader) -> [UInt8]? {
        guard let secret = place.reference(.secret)?.bytes else { return nil }
        guard secret.count >= OutcomeConfiguration.secretBytesMin else {
            place.mistake(
                "this secret can be guessed: it is shorter than "
                    + "\(OutcomeConfiguration.secretBytesMin) bytes",
                "create another one: `openssl rand -hex 32`")
            return nil
        }
        return secret
    }

    /// Reads an origin as a browser writes it (RFC 6454 §6.2): scheme, host, and a port other than
    /// the scheme's own.
    private static func origin(_ value: ValueReader) -> String? {
        guard let text = value.filledText() else { return nil }
        let scheme = ["https://", "http://"].first { text.hasPrefix($0) }
        let rest = text.dropFirst(scheme?.count ?? 0)
        let isGood = rest.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
                || "-.:[]".utf8.contains(byte)
        }
        let ownPort = scheme == "https://" ? ":443" : ":80"
        guard scheme != nil, isGood, !rest.isEmpty, !rest.hasSuffix(ownPort) else {
            value.mistake(
                "“\(text)” is not an origin as a browser sends it",
                "write `https://shop.example`: in small letters, without a path, with the port "
                    + "only if it is not the scheme's own")
            return nil
        }
        return text
    }
}
