import Glibc
import Testing

@testable import Commands

@Suite struct AdminFailureTests {
    @Test(arguments: [
        (400, EX_USAGE), (404, EX_USAGE), (422, EX_USAGE), (409, EXIT_FAILURE),
        (412, EXIT_FAILURE), (429, EXIT_FAILURE), (401, EX_UNAVAILABLE), (503, EX_UNAVAILABLE),
    ])
    func `the exit status follows from the answer`(status: Int, expected: Int32) {
        #expect(AdminFailure.exitStatus(ofAnswer: status) == expected)
    }
}
