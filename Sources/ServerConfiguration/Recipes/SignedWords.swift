import Providers

/// The parts of a request that its proof covers.
struct SignedWords {
    /// Nothing is signed: the whole request is trusted as far as the token is.
    private let isToken: Bool
    private let coversBody: Bool
    private let pointers: Set<String>
    private let headers: Set<String>

    init(_ proof: Recipe.Proof) {
        switch proof {
        case .token: self.init(SignedTemplate.body, isToken: true)
        case .signature(let scheme): self.init(scheme.content)
        }
    }

    init(_ template: SignedTemplate, isToken: Bool = false) {
        var pointers: Set<String> = []
        var headers: Set<String> = []
        for part in template.parts {
            switch part {
            case .pointer(let pointer): pointers.insert(pointer)
            case .header(let name): headers.insert(name)
            default: break
            }
        }
        for case .header(let name)? in [template.timestamp, template.id] { headers.insert(name) }
        self.isToken = isToken
        coversBody = template.parts.contains(.body)
        self.pointers = pointers
        self.headers = headers
    }

    /// The first of these places that is not covered, in words; nil if all are.
    func uncovered(_ leaves: [Source], _ fields: FieldMapping) -> String? {
        leaves.lazy.compactMap { leaf in
            switch leaf {
            case .header(let name):
                isToken || headers.contains(name) ? nil : "the header \(name)"
            case .pointer(let pointer):
                covers(pointer, isRoot: fields.each == nil) && !fields.unsigned.has(leaf)
                    ? nil : pointer
            case .root(let pointer):
                covers(pointer, isRoot: true) && !fields.unsigned.has(leaf) ? nil : pointer
            default: nil
            }
        }.first
    }

    private func covers(_ pointer: String, isRoot: Bool) -> Bool {
        isToken || coversBody || (isRoot && pointers.contains(pointer))
    }
}

extension [Source] {
    /// Whether one of them is this place, or an object or array around it.
    fileprivate func has(_ leaf: Source) -> Bool {
        contains { source in
            switch (source, leaf) {
            case (.pointer(let around), .pointer(let pointer)),
                (.root(let around), .root(let pointer)):
                pointer == around || pointer.hasPrefix("\(around)/")
            default: source == leaf
            }
        }
    }
}
