/// The versions that this server speaks. A later 1.x counts as 1.1 (RFC 9110 §2.5); another major
/// version is refused with 505.
package enum Version: Sendable, Hashable {
    case http10
    case http11
}
