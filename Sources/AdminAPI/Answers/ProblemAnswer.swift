/// An error, as every path answers it. See ``Problem``.
package struct ProblemAnswer: APIObject {
    package var status = 0
    package var title = ""
    package var code = ""
    package var detail = ""
    package var aliasOf: String?

    package init() {}

    init(_ problem: Problem) {
        status = problem.status
        title = problem.code.split(separator: "_").joined(separator: " ")
        (code, detail) = (problem.code, problem.detail)
        aliasOf = problem.aliasOf
    }

    package mutating func members(_ form: inout some APIForm) {
        form.required("status", &status)
        form.required("title", &title)
        form.required("code", &code)
        form.required("detail", &detail)
        form.optional("aliasOf", &aliasOf)
    }
}
