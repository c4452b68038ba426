import Bytes
import Cryptography

/// Seals short-lived things that are kept beside the records, such as the entries of the rejection
/// log. Their key is derived from a master key, so they are lost with it.
package struct SideSeal: Sendable {
    private let keys: [(name: String, key: [UInt8])]

    /// - Parameters:
    ///   - masters: The present one first; it seals.
    ///   - purpose: A text, different for each kind of content.
    package init(_ masters: [MasterKey], for purpose: String) {
        keys = masters.map {
            ($0.name, HMAC.code(.sha256, key: $0.key, message: Array("ipnd \(purpose)".utf8)))
        }
    }

    /// Whether anything is sealed.
    package var isOn: Bool { !keys.isEmpty }

    /// Returns the name of the master key and the box in Base64; nil when nothing is sealed.
    ///
    /// - Parameter bound: Must be the same when it is opened.
    package func seal(_ plain: [UInt8], bound: [UInt8]) -> (master: String, box: String)? {
        guard let (name, key) = keys.first else { return nil }
        do throws(KeyError) {
            return (name, Base64.encode(try SealedBox.seal(plain, key: key, additional: bound)))
        } catch {
            // As with a digest, this fails only if memory runs out.
            fatalError("OpenSSL cannot encrypt: \(error)")
        }
    }

    /// Returns what was sealed; nil without its master key, or when it was changed.
    package func open(master: String, box: String, bound: [UInt8]) -> [UInt8]? {
        guard let (_, key) = keys.first(where: { $0.name == master }),
            let box = Base64.decode(strict: Array(box.utf8)[...])
        else { return nil }
        return SealedBox.open(box, key: key, additional: bound)
    }
}

extension SideSeal {
    private static let mark = "sealed:"

    /// The text as it is stored: `sealed:NAME:BASE64`, or as it is when nothing is sealed or it is
    /// empty.
    package func stored(_ text: String) -> String {
        guard !text.isEmpty, let (master, box) = seal(Array(text.utf8), bound: []) else {
            return text
        }
        return "\(Self.mark)\(master):\(box)"
    }

    /// The text that was stored; `sealed` in its place when it cannot be opened.
    package func text(stored: String) -> String {
        guard stored.hasPrefix(Self.mark) else { return stored }
        let words = stored.split(separator: ":", omittingEmptySubsequences: false)
        guard words.count == 3 else { return isOn ? "sealed" : stored }
        let plain = open(master: String(words[1]), box: String(words[2]), bound: [])
        return plain.map { String(decoding: $0, as: UTF8.self) } ?? "sealed"
    }

    /// Seals the excerpts of answers in the delivery state.
    package static func deliveries(_ masters: [MasterKey]) -> SideSeal {
        SideSeal(masters, for: "deliveries")
    }

    /// Seals the entries of the rejection log.
    package static func rejections(_ masters: [MasterKey]) -> SideSeal {
        SideSeal(masters, for: "rejections")
    }
}
