import Bytes
import Cryptography
import JSON
import Sealing

/// Seals the personal parts of records before they are stored.
///
/// The key of a record is that of its sequence in the ring's tree. The text of the record from the
/// end of its head on is sealed, and bound to the head: with either changed, it cannot be opened.
/// Belongs to one thread, which writes records in their order.
package struct RecordSealer {
    private var path: KeyPath
    private let equality: HMACKey
    private let boxes = BoxSealer()

    package init(_ ring: KeyRing) {
        path = KeyPath(ring.tree)
        equality = HMACKey(.sha256, ring.equalityKey)
    }

    /// Seals the personal part of the record in `bytes[start...]`. Its head ends where it did.
    ///
    /// - Parameter headEnd: Where the personal part begins, with the comma before it.
    package mutating func seal(
        _ bytes: inout [UInt8], from start: Int, headEnd: Int, of sequence: UInt64
    ) {
        // A closing brace is all that there is.
        guard bytes.count > headEnd + 1 else { return }
        let key = key(of: sequence)
        // `,"request":{…`
        let name = Array(bytes[(headEnd + 2)...].prefix { $0 != UInt8(ascii: "\"") })
        let box = bytes.withUnsafeBytes { bytes in
            self.box(
                UnsafeRawBufferPointer(rebasing: bytes[headEnd...]), key,
                bound: UnsafeRawBufferPointer(rebasing: bytes[start..<headEnd]))
        }
        bytes.removeSubrange(headEnd...)
        bytes += Self.beginning
        bytes += name
        bytes += Self.middle
        Base64.append(box, to: &bytes)
        bytes += Self.end
    }

    private static let beginning = Array(#","sealed":{"of":""#.utf8)
    private static let middle = Array(#"","bytes":""#.utf8)
    private static let end = Array(#""}}"#.utf8)

    /// Returns metadata as a record keeps it. Empty metadata stays so.
    package mutating func sealed(metadata: [UInt8], of sequence: UInt64) -> [UInt8] {
        guard !metadata.isEmpty else { return [] }
        let key = key(of: sequence)
        let box = metadata.withUnsafeBytes { plain in
            SealedMetadata.bound(to: sequence).withUnsafeBytes {
                self.box(plain, key, bound: $0)
            }
        }
        let digest = Hex.encode(Array(equality.code(metadata).prefix(16)))
        return SealedMetadata(record: sequence, text: Base64.encode(box), digest: digest).bytes
    }

    /// Returns a whole record that is not sealed as one that is, with its metadata. An erased
    /// record is returned as it is.
    package mutating func sealed(
        record: [UInt8], of sequence: UInt64
    ) throws(RecordError) -> [UInt8] {
        var record = record
        if let metadata = try RecordDecoder.event(record).registered?.metadata, !metadata.isEmpty,
            let name = record.firstRange(of: Array(#","metadata":"#.utf8) + metadata)
        {
            let place = name.upperBound - metadata.count..<name.upperBound
            record.replaceSubrange(place, with: sealed(metadata: metadata, of: sequence))
        }
        let headEnd: Int
        do throws(JSONError) {
            headEnd = try record.span.withUnsafeBytes { bytes throws(JSONError) in
                let reader = try RecordReader(bytes, .end)
                return reader.personal == .open ? reader.headEnd : bytes.count
            }
        } catch {
            throw .json(error)
        }
        seal(&record, from: 0, headEnd: headEnd, of: sequence)
        return record
    }

    private mutating func key(of sequence: UInt64) -> [UInt8] {
        // A store renews the keys of sequences that it uses again.
        guard let key = path.key(of: sequence) else {
            fatalError("the key of record \(sequence) was destroyed before the record was written")
        }
        return key
    }

    private func box(
        _ plain: UnsafeRawBufferPointer, _ key: [UInt8], bound: UnsafeRawBufferPointer
    ) -> [UInt8] {
        do throws(KeyError) {
            return try boxes.seal(plain, key: key, additional: bound)
        } catch {
            // As with a digest, this fails only if memory runs out.
            fatalError("OpenSSL cannot encrypt: \(error)")
        }
    }
}
