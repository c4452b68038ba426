import Platform

/// The loaded value of a reference, and its source.
struct Referenced {
    var bytes: [UInt8]
    var source: SecretSource
}

extension ValueReader {
    enum Confidentiality { case secret, isPublic }

    /// Maximum number of bytes in a key or secret.
    private static var referencedBytesMax: Int { 65_536 }

    /// Reads the value of `{file: path}` or `{env: NAME}`. A public value may also be given in
    /// place.
    ///
    /// Editors and `echo` end a file with a newline that is not part of the secret: exactly one
    /// `\n` or `\r\n` at the end is removed. A variable's value is used unchanged.
    func reference(_ confidentiality: Confidentiality) -> Referenced? {
        if case .scalar = node, !isNull {
            if confidentiality == .isPublic, let text = filledText() {
                return Referenced(bytes: Array(text.utf8), source: .inline)
            }
            mistake(
                "a secret must not be written in the configuration itself",
                "put it into a file, write {file: path} or {env: NAME}, and replace this one if "
                    + "others could read it")
            return nil
        }
        guard case .mapping = node else {
            mistake("is \(kind), not a reference", "write {file: path} or {env: NAME}")
            return nil
        }
        guard let mapping = mapping() else { return nil }
        let file = mapping.optional("file")
        let variable = mapping.optional("env")
        // Not `finish()`: it would quote unknown keys, and `{hunter2}` is a mapping with one.
        guard mapping.all.allSatisfy({ $0.name == "file" || $0.name == "env" }) else {
            mistake("has more than `file` or `env`", "write {file: path} or {env: NAME}")
            return nil
        }
        switch (file, variable) {
        case (let file?, nil):
            let found = file.loadFile(confidentiality)
            if confidentiality == .secret { file.warnIfPadded(found) }
            return found
        case (nil, let variable?):
            let found = variable.loadVariable()
            if confidentiality == .secret { variable.warnIfPadded(found) }
            return found
        case (_?, _?):
            mistake("has both `file` and `env`", "keep one of them")
        case (nil, nil):
            mistake("has neither `file` nor `env`", "write {file: path} or {env: NAME}")
        }
        return nil
    }

    private func loadFile(_ confidentiality: Confidentiality) -> Referenced? {
        guard let path = path(), let contents = contents(of: path) else { return nil }
        if confidentiality == .secret { warnIfExposed(contents, path) }
        var bytes = contents.bytes
        if bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        guard !bytes.isEmpty else {
            mistake("\(path) is empty", "write the value into it")
            return nil
        }
        return Referenced(bytes: bytes, source: .file(path))
    }

    private func contents(of path: String) -> FileContents? {
        do throws(FileContents.Problem) {
            return try FileContents(
                path: reading.readable(path), bytesMax: Self.referencedBytesMax)
        } catch {
            mistake("\(path) \(error.clause)", error.remedy)
            return nil
        }
    }

    /// Warns about a file with secrets that every user of this machine may read.
    func warnIfExposed(_ contents: FileContents, _ path: String) {
        guard contents.isWorldReadable else { return }
        warning("every user of this machine may read \(path)", "chmod 600 \(path)")
    }

    /// Warns about a secret that was pasted with a space or a second newline: every notification
    /// would be rejected. PEM may have any white space.
    private func warnIfPadded(_ found: Referenced?) {
        guard let bytes = found?.bytes, let first = bytes.first, let last = bytes.last,
            first <= 0x20 || last <= 0x20, !bytes.starts(with: "-----BEGIN".utf8)
        else { return }
        warning(
            "the secret \(first <= 0x20 ? "begins" : "ends") with white space",
            "write it again exactly as the provider shows it: `printf %s SECRET > file`")
    }

    private func loadVariable() -> Referenced? {
        guard let name = filledText() else { return nil }
        // Text that does not look like a variable's name may be a secret in the wrong place, so it
        // is not quoted.
        let isName = name.utf8.allSatisfy {
            (0x41...0x5A).contains($0) || $0 == 0x5F || (0x30...0x39).contains($0)
        }
        let variable = isName ? "the environment variable \(name)" : "this environment variable"
        guard let value = reading.environment[name] else {
            mistake(
                "\(variable) is not set", "set it where ipnd is started (systemd: EnvironmentFile=)"
            )
            return nil
        }
        guard !value.isEmpty else {
            mistake("\(variable) is empty", "give it a value")
            return nil
        }
        return Referenced(bytes: Array(value.utf8), source: .variable(name))
    }
}

extension ValueReader {
    /// Reads `host:port`, `[::1]:port` or `unix:/path`.
    func address() -> SocketAddress? {
        guard let text = filledText() else { return nil }
        guard let address = SocketAddress(text) else {
            mistake(
                "\(quoted(text)) is not a valid address",
                "write an IP address with a port, 127.0.0.1:8080 or [::1]:8080, or "
                    + "unix:/absolute/path of at most 107 bytes; host names are not resolved")
            return nil
        }
        return address
    }

    /// Reads a list of networks in CIDR notation, at least one.
    func networks() -> [IPNetwork]? {
        guard let values = sequence() else { return nil }
        guard !values.isEmpty else {
            mistake("is empty", "list networks such as 192.0.2.0/24, or leave the key out")
            return nil
        }
        return values.compactMap { value in
            guard let text = value.filledText() else { return nil }
            guard let network = IPNetwork(text) else {
                value.mistake(
                    "\(quoted(text)) is not a valid network",
                    "write CIDR notation: 192.0.2.0/24, 2001:db8::/32 or one address")
                return nil
            }
            return network
        }
    }
}

extension FileContents.Problem {
    /// The remedy for a message.
    var remedy: String {
        switch self {
        case .missing:
            "create it or correct the path (relative paths start at the configuration's folder)"
        case .unreadable:
            "make it readable for the user that runs ipnd, or pass it with LoadCredential= in the "
                + "unit; restart the service after a change of a file that is passed"
        case .notRegular, .tooLarge: "correct the path"
        }
    }
}
