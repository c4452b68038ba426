/// The result of an erasure, as `POST …/erase` answers.
package struct ErasureAnswer: APIObject {
    /// The record of the erasure.
    package var sequence: UInt64 = 0
    /// Number of records whose keys are destroyed.
    package var records = 0
    /// Records of other orders that were reported by the same requests, which are erased, too.
    package var shared: [UInt64] = []
    /// Number of refused requests that named the order.
    package var rejections = 0
    /// Number of answers of the merchant's systems.
    package var answers = 0
    /// The places that were not reached, in sentences.
    package var unreached: [String] = []

    package init() {}

    package mutating func members(_ form: inout some APIForm) {
        form.required("sequence", &sequence)
        form.required("records", &records)
        form.required("shared", &shared)
        form.required("rejections", &rejections)
        form.required("answers", &answers)
        form.required("unreached", &unreached)
    }
}
