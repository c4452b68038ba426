import TLS

extension TLSError {
    /// The setting of a `tls` section that this error is about; nil when it is about the whole
    /// section.
    func key(
        in primary: TLSConfiguration.Pair, clientCA: String?, additional: [TLSConfiguration.Pair]
    ) -> String? {
        guard let file else { return nil }
        if file == primary.certificate { return "certificate" }
        if file == primary.key { return "key" }
        if file == clientCA { return "clientCA" }
        for (index, pair) in additional.enumerated() {
            if file == pair.certificate { return "additional[\(index)].certificate" }
            if file == pair.key { return "additional[\(index)].key" }
        }
        return nil
    }

    /// The file that the user must fix.
    private var file: String? {
        switch self {
        case .fileMissing(let file), .fileUnreadable(let file, _), .notPEM(let file),
            .certificateRefused(let file, _), .keyEncrypted(let file), .keyMismatch(_, let file):
            file
        default: nil
        }
    }

    var remedy: String {
        switch self {
        case .fileMissing:
            "create it or correct the path (relative paths start at the configuration's folder)"
        case .fileUnreadable: "make it readable for the user that runs ipnd"
        case .notPEM: "give a PEM file: the certificate with its intermediates, or its private key"
        case .keyMismatch: "give the key that this certificate was made for"
        case .certificateRefused: "create a new certificate"
        case .keyEncrypted: "remove the passphrase with `openssl pkey`"
        default: "see the message"
        }
    }
}
