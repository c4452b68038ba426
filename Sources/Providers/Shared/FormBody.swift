import Bytes

/// An `application/x-www-form-urlencoded` body in UTF-8. One that is not is refused, because
/// parsers replace such bytes in different ways.
struct FormBody: Equatable {
    struct Field: Equatable {
        let name: String
        let value: String
    }

    let fields: [Field]

    /// - Throws: ``Refusal``, malformed: `form_utf8`, and those of ``RawForm``.
    init(parsing body: ArraySlice<UInt8>, work: inout VerificationWork) throws(Refusal) {
        let form = try RawForm(parsing: body, work: &work)
        try work.spend(body.count)
        var fields: [Field] = []
        fields.reserveCapacity(form.all.count)
        for field in form.all {
            guard let name = String(validating: field.name, as: UTF8.self),
                let value = String(validating: field.value, as: UTF8.self)
            else { throw .malformed("form_utf8", "a field is not UTF-8") }
            fields.append(Field(name: name, value: value))
        }
        self.fields = fields
    }

    subscript(_ name: String) -> String? {
        fields.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }
}
