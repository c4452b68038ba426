extension FormBody: ListedFieldsBody {
    func appendSignedValues(
        of names: NameTable, to fields: inout SortedFields, work: inout VerificationWork
    ) throws(Refusal) {
        var values = [Int?](repeating: nil, count: names.count)
        for (index, field) in self.fields.enumerated() {
            try work.spend(field.name.utf8.count)
            if let place = names.place(of: field.name.utf8.span) { values[place] = index }
        }
        for (place, index) in values.enumerated() {
            let name = names.bytes.span.extracting(names.places[place])
            guard let index else { throw Self.absent(name) }
            fields.begin(name)
            fields.text.append(self.fields[index].value.utf8.span)
            fields.end()
        }
    }

    func requiredText(_ name: String) throws(Refusal) -> ArraySlice<UInt8> {
        guard let value = self[name] else {
            throw .unauthenticated("\(name)_missing", "the body has no `\(name)`")
        }
        return Array(value.utf8)[...]
    }

    func unsignedText(_ name: String) -> String? { self[name] }
}
