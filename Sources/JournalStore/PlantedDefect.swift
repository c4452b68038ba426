/// Mistakes that a test plants on purpose, to show that the checks would catch them (issue "A
/// journal that survives the power cord"). Only tests set one, and builds with planted defects
/// (`scripts/planted-defects`).
package enum PlantedDefect: String, Sendable, CaseIterable {
    /// Answers before the batch is written and synced.
    case answersBeforeSync
    /// Answers the duplicate of an event that stands in this same batch at once, as if that one
    /// were durable.
    case treatsPendingAsDurable
}
