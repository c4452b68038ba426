import HTTP
import Testing

@testable import AdminAPI

@Suite struct QueryParametersTests {
    @Test func `values are decoded like a form`() throws {
        let parameters = try QueryParameters(
            .get("/orders?text=a+b%2Bc&limit=5"), known: ["text", "limit"])
        #expect(parameters["text"] == "a b+c")
        #expect(try parameters.integer("limit", in: 1...10) == 5)
        #expect(try parameters.integer("limit2", in: 1...10) == nil)
    }

    @Test(arguments: [
        ("x=1", "parameter_unknown"), ("limit=1&limit=1", "parameter_repeated"),
        ("limit=%GG", "parameter_invalid"), ("limit=%FF", "parameter_invalid"),
        ("limit=%00", "parameter_invalid"), ("limit=5%00", "parameter_invalid"),
        ("lim%00it=5", "parameter_invalid"),
        ("limit=0", "parameter_invalid"), ("limit=11", "parameter_invalid"),
        ("limit=+5", "parameter_invalid"), ("limit=5.0", "parameter_invalid"),
        ("limit", "parameter_invalid"), ("limit=99999999999999999999", "parameter_invalid"),
    ])
    func `a mistake has its code`(_ query: String, _ code: String) {
        do throws(Problem) {
            let parameters = try QueryParameters(.get("/orders?\(query)"), known: ["limit"])
            _ = try parameters.integer("limit", in: 1...10)
            Issue.record("\(query) was taken")
        } catch {
            #expect(error.code == code)
        }
    }
}
