import Ledger

extension SipHash {
    /// The hash function with a secret key from the tables; nil if the key is not 16 bytes long.
    init?(bytes key: [UInt8]) {
        guard key.count == 16 else { return nil }
        self = key.withUnsafeBytes { bytes in
            SipHash(
                key: (
                    UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
                    UInt64(
                        littleEndian: bytes.loadUnaligned(
                            fromByteOffset: 8, as: UInt64.self))
                ))
        }
    }

    /// The secret key as stored in the tables.
    var keyBytes: [UInt8] {
        [key.0, key.1].flatMap { word in
            withUnsafeBytes(of: word.littleEndian) { [UInt8]($0) }
        }
    }
}
