import Testing

@testable import HTTP

@Suite struct HTTPErrorTests {
    @Test(arguments: HTTPError.Cause.allCases)
    func `have a snake case reason and a status with a phrase`(_ cause: HTTPError.Cause) {
        let error = HTTPError(cause)
        #expect(error.reason.allSatisfy { $0 == "_" || $0.isNumber || $0.isLowercase })
        #expect(ReasonPhrase.of(error.status).utf8CodeUnitCount > 0)
        #expect((error.allow != nil) == (error.status == 405))
    }

    @Test func `become an answer that names the reason`() {
        let answer = Response(HTTPError(.headBareCR))
        #expect(answer.status == 400)
        #expect(text(answer.body) == "head_bare_cr\n")
    }

    @Test func `tell what is allowed with 405`() {
        let answer = Response(HTTPError(.methodNotAllowed))
        #expect(answer.fields.contains { $0 == ("Allow", "GET, HEAD, POST, PUT") })
    }

    @Test func `can be made for what is outside of HTTP`() {
        let error = HTTPError(status: 400, reason: "proxy_header_invalid")
        #expect(error.allow == nil && Response(error).status == 400)
    }
}
