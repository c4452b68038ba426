/// A snapshot that cannot be used: a checksum does not hold from `offset` on.
package struct SnapshotDamage: Error, Sendable, Equatable, CustomStringConvertible {
    package var file: String
    package var offset: Int

    package var description: String { "\(file) is damaged at byte \(offset)" }
}
