import Testing

@testable import Commands

@Suite struct CompletionTests {
    @Test(arguments: [
        (["ipnd", "orders"], "ipnd.yaml"),
        (["ipnd", "orders", "--config", "a.yaml", "--endpoint"], "a.yaml"),
        (["ipnd", "--config=b.yaml"], "b.yaml"),
        (["ipnd", "orders", "--config"], "ipnd.yaml"),
    ])
    func `endpoints come from the configuration of the command line`(
        words: [String], file: String
    ) {
        #expect(EndpointCompletion.file(words) == file)
    }
}
