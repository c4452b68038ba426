import AdminAPI
import HTTP
import HTTPServer
import Platform

/// The handler of the admin listener: pages for people, and the API for everything else.
///
/// | path | methods | answer |
/// |---|---|---|
/// | `/`, `/ui` | GET | redirects browsers to `/ui/now` |
/// | `/ui/session` | GET, POST | signing in |
/// | `/ui/session/end` | POST | signing out |
/// | `/ui/now`, `orders`, `events`, `rejections`, `destinations` | GET | screens |
/// | `/ui/providers`, `journal` | GET | screens |
/// | `/ui/audit` | GET | the audit trail, for the role `admin` |
/// | `/ui/orders/{endpoint}/{reference}` | GET | one order |
/// | `/ui/orders.csv` | GET | the list as a file |
/// | `/ui/stream` | GET | events that tell a page to reload itself |
/// | `/ui/style.css`, `script.js`, `icon.svg` | GET | assets |
/// | `/ui/…/{act}` | POST | acts, for the roles `admin` and `operator` |
package struct PageHandler: RequestHandler {
    static let formBytesMax = 8192

    private let api: AdminHandler
    private let pages: Pages
    private let access: AdminAccess

    package init(api: AdminHandler, pages: Pages, access: AdminAccess) {
        self.api = api
        self.pages = pages
        self.access = access
    }

    package func refused(_ reason: String, status: Int?, in context: RequestContext) {}

    package func answer(to error: HTTPError, path: ArraySlice<UInt8>?) -> Response {
        api.answer(to: error, path: path)
    }

    package func respond(to request: Request, in context: RequestContext) async -> Response {
        guard let route = PageRoute(request.path, query: request.query), !isForAPI(route, request)
        else {
            return await api.respond(to: request, in: context)
        }
        let base = PageRoute.base(of: request.path)
        guard route.methods.contains(request.method) else {
            var response = anonymous(request, context, base).page(
                Problem(405, "method_not_allowed", "This page does not accept that method."))
            response.fields.append(("Allow", route.methods.map(\.name).joined(separator: ", ")))
            return response
        }
        if request.method == .post, RequestSite(request) != .own {
            return anonymous(request, context, base).page(.otherSite)
        }
        guard access.trustsHost(of: request, context) || route.isAsset else {
            return anonymous(request, context, base).page(.otherHost)
        }
        // Parsing a form costs work before the caller is authenticated.
        guard request.body.count <= Self.formBytesMax else {
            return anonymous(request, context, base).page(.formTooLong)
        }
        guard FormFields(query: request.query).isText, FormFields(body: request).isText else {
            return anonymous(request, context, base).page(.notText)
        }
        switch route {
        case .root: return PageResponse.redirect(to: "\(base)now")
        case .asset(let name):
            return PageAssets.files[name].map(PageResponse.asset) ?? PageResponse.html("")
        case .session: return session(request, context, base)
        case .sessionEnd:
            if let session = SessionCookie.identifier(in: request) {
                let caller = caller(of: session, context)
                if caller != nil { record(.signOut, by: caller, context, 303) }
                pages.sessions.end(session)
            }
            return PageResponse.redirect(to: "\(base)session")
        case .unknown: return anonymous(request, context, base).page(.pageUnknown)
        default: break
        }
        let recognised: PageVisit?
        do throws(Problem) {
            recognised = try visit(request, context, base, isStream: route == .stream)
        } catch {
            let remote = context.clientText
            pages.audit?.add(
                AuditEntry(.identityRefused, by: "", from: remote, result: error.status))
            return anonymous(request, context, base).page(error)
        }
        guard let visit = recognised else {
            // An `EventSource` tries again after anything but 204.
            if route == .stream { return Response(status: 204) }
            return PageResponse.redirect(to: "\(base)session\(Self.returning(to: route, request))")
        }
        return await pages.respond(route, visit, access)
    }

    /// Appends an entry about signing in or out.
    private func record(
        _ what: AuditEntry.What, by caller: AdminCaller?, _ context: RequestContext, _ status: Int
    ) {
        pages.audit?.add(
            AuditEntry(
                what, by: caller?.name ?? "", role: caller?.role, from: context.clientText,
                result: status))
    }

    /// Whether a request for `/` is not from a browser. The API then answers it.
    private func isForAPI(_ route: PageRoute, _ request: Request) -> Bool {
        guard route == .root, request.path.count == 1 else { return false }
        return !request.values("accept").contains {
            String(decoding: $0, as: UTF8.self).contains("text/html")
        }
    }

    /// The visit of an authenticated caller; nil where the caller has to sign in first.
    private func visit(
        _ request: Request, _ context: RequestContext, _ base: String, isStream: Bool
    ) throws(Problem) -> PageVisit? {
        if !access.requiresToken {
            let local = try access.caller(of: request, context)
            return local.map { visit(request, context, base, $0, hasSession: false) }
        }
        if let caller = try access.callerByProxy(of: request, context) {
            return visit(request, context, base, caller, hasSession: false)
        }
        // A page's own reloads must not keep an unused session alive.
        let isAutomatic = isStream || !request.values("ipnd-live").isEmpty
        guard let identifier = SessionCookie.identifier(in: request),
            let caller = caller(of: identifier, context, counts: !isAutomatic)
        else { return nil }
        return visit(request, context, base, caller, hasSession: true)
    }

    private func caller(
        of session: String, _ context: RequestContext, counts: Bool = true
    ) -> AdminCaller? {
        pages.sessions.holder(of: session, access, counts: counts).map {
            AdminCaller(role: $0.role, name: $0.name, remote: context.clientText)
        }
    }

    /// The visit of a caller without rights, for the pages that say so.
    private func anonymous(
        _ request: Request, _ context: RequestContext, _ base: String
    ) -> PageVisit {
        let caller = AdminCaller(role: .viewer, name: "nobody", remote: context.clientText)
        return visit(request, context, base, caller, hasSession: false)
    }

    private func visit(
        _ request: Request, _ context: RequestContext, _ base: String, _ caller: AdminCaller,
        hasSession: Bool
    ) -> PageVisit {
        PageVisit(
            request: request, context: context, caller: caller, hasSession: hasSession,
            base: base, api: api.client(caller))
    }

    // MARK: Signing in

    private func session(
        _ request: Request, _ context: RequestContext, _ base: String
    ) -> Response {
        let fields =
            request.method == .post
            ? FormFields(body: request) : FormFields(query: request.query)
        // Only a screen of these pages, so that a link cannot redirect people to another site.
        let place = fields["next"].flatMap(Self.screen) ?? "now"
        let visitor = anonymous(request, context, base)
        let known = SessionCookie.identifier(in: request)
        let isByProxy = (try? access.callerByProxy(of: request, context)) != nil
        let isKnown = isByProxy || known.flatMap { pages.sessions.holder(of: $0, access) } != nil
        guard access.requiresToken else { return PageResponse.redirect(to: "\(base)\(place)") }
        guard request.method == .post else {
            if isKnown { return PageResponse.redirect(to: "\(base)\(place)") }
            var response = signIn(visitor, place)
            if known != nil {
                let isSecure = SessionCookie.isSecure(request, context)
                response.fields.append(
                    ("Set-Cookie", SessionCookie.ending(isSecure: isSecure)))
            }
            return response
        }
        let address = context.clientText
        let token = Array((fields["token"] ?? "").utf8)
        guard let caller = access.caller(with: token, remote: address),
            let mark = access.mark(of: caller.name, caller.role)
        else {
            record(.wrongToken, by: nil, context, 403)
            guard let seconds = pages.gate.noteWrong(.form, from: address) else {
                var response = signIn(visitor, place, "Wrong token.")
                response.status = 403
                return response
            }
            var response = signIn(
                visitor, place, "Too many wrong tokens. Try again in \(seconds) seconds.")
            response.status = 429
            response.fields.append(("Retry-After", "\(seconds)"))
            return response
        }
        if let known { pages.sessions.end(known) }
        record(.signIn, by: caller, context, 303)
        let holder = Sessions.Holder(name: caller.name, role: caller.role)
        let cookie = SessionCookie.setting(
            pages.sessions.open(holder, mark: mark),
            isSecure: SessionCookie.isSecure(request, context))
        return PageResponse.redirect(to: "\(base)\(place)", cookie: cookie)
    }

    private func signIn(_ visitor: PageVisit, _ place: String, _ error: String? = nil) -> Response {
        var values: PageValues = ["next": place]
        if let error { values["error"] = ["text": error] as PageValues }
        return visitor.page("session", .session, values)
    }

    private static func returning(to route: PageRoute, _ request: Request) -> String {
        guard route.isScreen else { return "" }
        let target = String(decoding: request.target, as: UTF8.self)
        return "?next=\(FormFields.encoded(String(target.dropFirst("/ui/".count))))"
    }

    /// The place, where it is a screen below `ui/`; nil for anything else.
    private static func screen(_ place: String) -> String? {
        let path = place.prefix { $0 != "?" }
        let query = Array(place.utf8.dropFirst(path.utf8.count + 1))
        guard let route = PageRoute(Array("/ui/\(path)".utf8)[...], query: query[...]),
            route.isScreen,
            // Only characters of a request line: none of them ends a header line.
            place.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !place.contains("#")
        else { return nil }
        return place
    }
}
