import TestSupport
import Testing

@testable import HTTP

@Suite struct CorpusTests {
    @Test func `is whole and every verdict occurs`() {
        #expect(CorpusCase.all.count == 298)
        #expect(
            Set(CorpusCase.all.map(\.strict))
                == ["accept", "reject-400", "reject-other", "either", "wait"])
    }

    @Test(arguments: CorpusCase.all)
    func `is judged as the index says in any split`(_ item: CorpusCase) throws {
        let bytes = try item.bytes()
        for split in Split.all {
            let connection = EchoConnection(bytes, split: split)
            let complaint = item.complaint(about: connection)
            #expect(complaint == nil, "\(split): \(item.why)")
        }
    }

    @Test(arguments: CorpusCase.all)
    func `has one outcome in any split`(_ item: CorpusCase) throws {
        let bytes = try item.bytes()
        let whole = EchoConnection(bytes)
        for split in Split.all {
            let connection = EchoConnection(bytes, split: split)
            #expect(connection.answers == whole.answers, "\(split)")
            #expect(connection.isClosed == whole.isClosed, "\(split)")
        }
    }

    @Test(arguments: CorpusCase.all.filter { $0.pauseBeforeBody == true })
    func `asks for the body that waits`(_ item: CorpusCase) throws {
        #expect(EchoConnection(try item.bytes(), split: .afterHead).continues == 1)
        #expect(EchoConnection(try item.bytes(), split: .whole).continues == 0)
    }

    /// Wherever the corpus gives one status, the same defect is refused with that status.
    @Test(arguments: CorpusCase.all.filter { $0.strict == "reject-400" && $0.status == [400] })
    func `refusals that must be 400 are 400`(_ item: CorpusCase) throws {
        let last = EchoConnection(try item.bytes()).answers.last
        #expect(last?.status == 400 || item.mayWait == true)
    }

    @Test func `the judge sees a parser that accepts too much`() throws {
        // A checker that finds nothing would pass any parser, so it is given a wrong answer.
        let item = try #require(CorpusCase.all.first { $0.name == "cl-negative" })
        let lenient = EchoConnection(latin1("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
        #expect(item.complaint(about: lenient) != nil)
    }
}
