import Bytes
import TestSupport
import Testing

@testable import Sealing

@Suite struct KeyRingTests {
    private static let store = "00112233445566778899aabbccddeeff"
    private static let first = MasterKey(name: "2026-11", key: [UInt8](repeating: 1, count: 32))!
    private static let second = MasterKey(name: "2026-12", key: [UInt8](repeating: 2, count: 32))!

    /// A ring in which some keys were destroyed.
    private let ring: KeyRing = {
        var ring = KeyRing(randomFor: store)
        ring.destroy([3...4, 1_000_000...1_000_000])
        return ring
    }()

    private func read(
        _ bytes: [UInt8], of store: String? = store, with masters: [MasterKey] = [first, second]
    ) -> Result<KeyRing, KeyRingError> {
        do throws(KeyRingError) {
            return .success(try KeyRing(unwrapping: bytes, of: store, with: masters))
        } catch {
            return .failure(error)
        }
    }

    @Test func `what was written is read with the same master key`() throws {
        let bytes = try ring.wrapped(by: Self.second)
        #expect(read(bytes) == .success(ring))
        #expect(read(bytes, of: nil) == .success(ring))
        #expect(KeyRing.masterName(of: bytes) == "2026-12")
        #expect(ring.tree.key(of: 3) == nil && ring.tree.key(of: 5) != nil)
    }

    @Test func `each file is sealed anew, and no key is readable in it`() throws {
        let (one, two) = (try ring.wrapped(by: Self.first), try ring.wrapped(by: Self.first))
        #expect(one != two)
        for node in ring.tree.nodes {
            let text = String(decoding: one, as: UTF8.self)
            #expect(!text.contains(Base64.encode(node.key)) && !text.contains(Hex.encode(node.key)))
        }
    }

    @Test func `another key, store or byte is refused with its reason`() throws {
        let bytes = try ring.wrapped(by: Self.first)
        #expect(read(bytes, with: [Self.second]) == .failure(.keyMissing("2026-11")))
        #expect(read(bytes, with: []) == .failure(.keyMissing("2026-11")))
        let other = try #require(MasterKey(name: "2026-11", key: [UInt8](repeating: 9, count: 32)))
        #expect(read(bytes, with: [other]) == .failure(.keyWrong("2026-11")))
        #expect(read(bytes, of: "ff") == .failure(.foreign(store: Self.store)))
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1
            #expect(read(changed) == .failure(.damaged), "byte \(place)")
        }
        #expect(read([]) == .failure(.damaged))
        #expect(read(Array(bytes.dropLast())) == .failure(.damaged))
    }

    /// A checksum is no proof: someone who computes it again is refused by the seal.
    @Test func `a ring is bound to its store`() throws {
        let other = String(Self.store.reversed())
        let text = String(decoding: try ring.wrapped(by: Self.first), as: UTF8.self)
        let lines = text.split(separator: "\n").dropLast().joined(separator: "\n") + "\n"
        let forged = lines.replacing(Self.store, with: other)
        let check = KeyRing.checksum(of: forged)
        #expect(
            read(Array((forged + "check \(check)\n").utf8), of: other)
                == .failure(.keyWrong("2026-11")))
    }

    @Test func `names and lengths of master keys`() {
        let key = [UInt8](repeating: 0, count: 32)
        for name in ["", "a b", "a\nb", "é", String(repeating: "a", count: 65)] {
            #expect(MasterKey(name: name, key: key) == nil, "\(name)")
        }
        #expect(MasterKey(name: "a", key: Array(key.dropLast())) == nil)
        #expect(MasterKey(name: "vault-2026.11_b", key: key) != nil)
    }

    @Test func `a key is read as people keep it, and never printed`() {
        let key = [UInt8](100..<132)
        let (digits, text) = (Hex.encode(key), Base64.encode(key))
        for form in [digits, digits.uppercased(), text, String(text.dropLast())] {
            #expect(MasterKey.key(from: Array(form.utf8)) == key, "\(form)")
        }
        for form in ["", "secret", String(digits.dropLast()), digits + "0", "x" + text, "\u{0}"] {
            #expect(MasterKey.key(from: Array(form.utf8)) == nil, "\(form)")
        }
        let master = MasterKey(name: "m", key: key)!
        for shown in ["\(master)", String(reflecting: master)] {
            #expect(!shown.contains("101") && !shown.contains("6465"), "\(shown)")
        }
    }
}
