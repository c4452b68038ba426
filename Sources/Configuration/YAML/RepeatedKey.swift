import Yams

/// A key that stands more than once in one mapping.
struct RepeatedKey {
    let name: String
    /// Where it stands for the first time.
    let first: Mark
}
