import Testing

@testable import Records

/// The list of records that an erasure names.
@Suite struct ErasedRecordsTests {
    @Test(arguments: [
        ([] as [UInt64], ""), ([5], "5"), ([3, 1, 2], "1-3"), ([1, 3, 3, 5, 4], "1,3-5"),
        ([7, 6, 10, 12, 11], "6-7,10-12"),
    ]) func `sequences become ranges`(_ sequences: [UInt64], _ text: String) {
        let records = ErasedRecords(sequences)
        #expect(records.text == text && records.count == Set(sequences).count)
        #expect((1...13).allSatisfy { records.contains($0) == sequences.contains($0) })
        if !text.isEmpty { #expect(ErasedRecords(text: text) == records) }
    }

    @Test(arguments: [
        "", ",", "1,", "0", "0-3", "3-1", "1-2,2", "5,4", "1 ", "+1", "a", "1-2-3", "-",
        "1-", "-1", "1099511627776", "99999999999999999999",
    ]) func `anything else is refused`(_ text: String) {
        let records = ErasedRecords(text: text)
        #expect(records == nil, "\(records?.text ?? "")")
    }

    @Test func `a union has the records of both`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let (one, two) = (
                Set((0..<6).map { _ in UInt64.random(in: 1...20, using: &random) }),
                Set((0..<6).map { _ in UInt64.random(in: 1...20, using: &random) })
            )
            var union = ErasedRecords(one)
            union.formUnion(ErasedRecords(two))
            #expect(union == ErasedRecords(one.union(two)))
        }
        var none = ErasedRecords([])
        none.formUnion(ErasedRecords(through: 0))
        #expect(none.isEmpty)
    }

    @Test func `only an erasure names them`() throws {
        let parameters = RecordedAction.parameters(erasing: ErasedRecords([4, 5, 9]))
        var action = RecordedAction(
            id: "a", kind: .erase, reference: nil, by: "admin", remote: "unix", reason: "",
            parameters: parameters, received: .init(microseconds: 1))
        #expect(action.erased?.text == "4-5,9")
        action.kind = .split
        #expect(action.erased == nil)
        action.kind = .erase
        action.parameters = []
        #expect(action.erased == nil)
    }
}
