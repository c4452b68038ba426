import Testing

@testable import HTTP

@Suite struct OwnCaseTests {
    @Test(
        arguments: [
            OwnCase.requestLines, OwnCase.targets, OwnCase.hosts, OwnCase.fieldLines,
            OwnCase.lengths,
            OwnCase.codings, OwnCase.chunks,
        ].flatMap { $0 })
    func `have one outcome in any split`(_ item: OwnCase) {
        for split in Split.all {
            let connection = EchoConnection(item.bytes, split: split)
            #expect(item.complaint(about: connection) == nil, "\(split)")
        }
    }
}
