import Bytes
import Cryptography

/// A key of the merchant that wraps a key ring. It is kept outside ipnd: in a file, a credential of
/// systemd, or what a command prints.
package struct MasterKey: Sendable, Equatable {
    /// Its name in the configuration and in the ring; letters, digits, `-`, `_` and `.`.
    package let name: String
    let key: [UInt8]

    /// Bytes of a master key.
    package static let byteCount = 32

    /// Nil unless the key has 32 bytes and the name is one.
    package init?(name: String, key: [UInt8]) {
        guard key.count == Self.byteCount, Self.isName(name) else { return nil }
        self.name = name
        self.key = key
    }

    /// Reads a key as people and programs keep it: 64 hexadecimal digits, or Base64. Nil for
    /// anything else.
    package static func key(from bytes: [UInt8]) -> [UInt8]? {
        let key =
            bytes.count == 2 * byteCount
            ? Hex.decode(bytes[...]) : Base64.decode(key: bytes[...])
        return key?.count == byteCount ? key : nil
    }

    /// Whether `text` can name a master key: a word of at most 64 characters.
    package static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}

extension MasterKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "MasterKey(\(name))" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The secrets of one store: the keys of its records, and what equality is compared with.
///
/// As a file it is lines of a word and a value, as the file `identity` of a journal. Everything
/// secret is in the line `keys`, sealed with a master key, and bound to the lines before it.
///
///     ipnd keys
///     store 00112233445566778899aabbccddeeff
///     master 2026-11
///     keys BASE64
///     check 6edf3402
package struct KeyRing: Sendable, Equatable {
    /// The identity of the store, as 32 hexadecimal digits.
    package let store: String
    package private(set) var tree: KeyTree
    /// The key of the digests by which equal values are recognised. Without it, no value can be
    /// found by trying.
    package let equalityKey: [UInt8]

    /// A new ring.
    package init(randomFor store: String) {
        self.store = store
        tree = KeyTree(root: secureRandomBytes(KeyTree.keyBytes))
        equalityKey = secureRandomBytes(KeyTree.keyBytes)
    }

    /// Destroys the keys of these records. The caller makes the ring durable.
    package mutating func destroy(_ records: [ClosedRange<UInt64>]) {
        for range in records {
            // No record has the number 0: without its key, a destroyed beginning leaves no node.
            let first = range.lowerBound == 1 ? 0 : range.lowerBound
            tree.destroy(first..<range.upperBound + 1)
        }
    }

    /// Whether any of these records still has a key.
    package func hasKey(in records: [ClosedRange<UInt64>]) -> Bool {
        records.contains { tree.hasKey(in: $0) }
    }

    /// Gives new random keys to `number` and all later ones. The old ones are lost.
    package mutating func renew(from number: UInt64) {
        tree.renew(from: number) { secureRandomBytes(KeyTree.keyBytes) }
    }
}

/// Why a key ring cannot be used.
package enum KeyRingError: Error, Sendable, Equatable {
    /// Its checksum or its form is wrong.
    case damaged
    /// A newer program wrote it.
    case version(Int)
    /// It belongs to another store.
    case foreign(store: String)
    /// No configured master key has the name of the one that wrapped it.
    case keyMissing(String)
    /// The master key of this name is not the one that wrapped it.
    case keyWrong(String)

    package var reason: String {
        switch self {
        case .damaged: "keys_damaged"
        case .version: "keys_version"
        case .foreign: "keys_foreign"
        case .keyMissing: "master_key_missing"
        case .keyWrong: "master_key_wrong"
        }
    }
}

extension KeyRingError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .damaged: "the keys of the records cannot be read: a checksum or the form is wrong"
        case .version(let version): "the keys of the records have the version \(version)"
        case .foreign(let store): "the keys of the records belong to the store \(store)"
        case .keyMissing(let name):
            "the keys of the records are wrapped by the master key \"\(name)\", which is not in "
                + "`personal.masterKeys`"
        case .keyWrong(let name):
            "the master key \"\(name)\" is not the one that wrapped the keys of the records"
        }
    }
}

// MARK: - The file

extension KeyRing {
    private static let title = "ipnd keys"
    private static let version: UInt8 = 1
    /// The version and the equality key.
    private static let headBytes = 1 + KeyTree.keyBytes
    private static let nodeBytes = 9 + KeyTree.keyBytes

    /// The file's content, wrapped by `master`.
    ///
    /// - Throws: `KeyError.operationFailed` if memory runs out.
    package func wrapped(by master: MasterKey) throws(KeyError) -> [UInt8] {
        let head = "\(Self.title)\nstore \(store)\nmaster \(master.name)\n"
        let box = try SealedBox.seal(secrets, key: master.key, additional: Array(head.utf8))
        let text = head + "keys \(Base64.encode(box))\n"
        return Array((text + "check \(Self.checksum(of: text))\n").utf8)
    }

    /// Reads a file of the store `store`; nil for any store. Throws why it cannot be used.
    package init(
        unwrapping bytes: [UInt8], of store: String?, with masters: [MasterKey]
    ) throws(KeyRingError) {
        let text = String(decoding: bytes, as: UTF8.self)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.popLast() == "", let check = lines.popLast(), lines.first == Self.title[...],
            check == "check \(Self.checksum(of: lines.joined(separator: "\n") + "\n"))",
            let keys = lines.popLast().flatMap({ Self.value(of: $0, "keys") }),
            let box = Base64.decode(strict: Array(keys.utf8)[...]),
            let owner = lines.lazy.compactMap({ Self.value(of: $0, "store") }).first,
            let name = lines.lazy.compactMap({ Self.value(of: $0, "master") }).first
        else { throw .damaged }
        if let store, store != owner { throw .foreign(store: owner) }
        guard let master = masters.first(where: { $0.name == name }) else {
            throw .keyMissing(name)
        }
        let head = lines.joined(separator: "\n") + "\n"
        guard let secrets = SealedBox.open(box, key: master.key, additional: Array(head.utf8))
        else { throw .keyWrong(name) }
        self.store = owner
        (equalityKey, tree) = try Self.read(secrets)
    }

    /// The name of the master key that wrapped a file; nil where it is damaged.
    package static func masterName(of bytes: [UInt8]) -> String? {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").lazy
            .compactMap { value(of: $0, "master") }.first
    }

    private var secrets: [UInt8] {
        var bytes = [Self.version] + equalityKey
        bytes.reserveCapacity(Self.headBytes + tree.nodes.count * Self.nodeBytes)
        for node in tree.nodes {
            withUnsafeBytes(of: node.start.littleEndian) { bytes.append(contentsOf: $0) }
            bytes.append(UInt8(node.level))
            bytes += node.key
        }
        return bytes
    }

    private static func read(
        _ secrets: [UInt8]
    ) throws(KeyRingError) -> (equalityKey: [UInt8], KeyTree) {
        guard let version = secrets.first else { throw .damaged }
        guard version == Self.version else { throw .version(Int(version)) }
        guard secrets.count >= headBytes, (secrets.count - headBytes).isMultiple(of: nodeBytes)
        else { throw .damaged }
        let nodes = stride(from: headBytes, to: secrets.count, by: nodeBytes).map { place in
            let node = secrets[place..<place + nodeBytes]
            let start = node.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return KeyTree.Node(
                start: start, level: Int(node[place + 8]), key: Array(node.dropFirst(9)))
        }
        guard let tree = KeyTree(nodes: nodes) else { throw .damaged }
        return (Array(secrets[1..<headBytes]), tree)
    }

    private static func value(of line: Substring, _ word: String) -> String? {
        let words = line.split(separator: " ")
        return words.count == 2 && words[0] == word[...] ? String(words[1]) : nil
    }

    static func checksum(of text: String) -> String {
        let digits = String(CRC32C.checksum(Array(text.utf8)), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
