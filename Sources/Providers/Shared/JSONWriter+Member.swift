import JSON
import Payments

extension SampleEvent {
    /// The amount in the smallest unit, as digits.
    ///
    /// - Throws: ``SenderError/unrepresentableAmount`` for a negative one.
    func digits() throws(SenderError) -> String {
        guard money.minor >= 0 else { throw .unrepresentableAmount }
        return String(money.minor)
    }
}
