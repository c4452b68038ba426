import ArgumentParser
import Bytes
import Console
import Cryptography
import Glibc
import Platform
import Providers

/// The secrets of `listen` and `receive`.
enum WebhookSecret {
    private static let fileBytesMax = 65_536

    static func fresh() -> [UInt8] {
        Array("whsec_\(Base64.encode(secureRandomBytes(32)))".utf8)
    }

    /// Reads a file, without surrounding white space. Throws an exit status after printing the
    /// reason.
    static func read(_ path: String) throws -> [UInt8] {
        do throws(FileContents.Problem) {
            let contents = try FileContents(path: path, bytesMax: fileBytesMax)
            return Array(contents.bytes.trimmingWhiteSpace)
        } catch {
            StandardError.print("ipnd: \(path) \(error.clause)")
            throw ExitCode(EX_NOINPUT)
        }
    }

    static func signer(_ secret: [UInt8]) throws -> StandardWebhooksSigner {
        do throws(SettingsError) {
            return try StandardWebhooksSigner([
                try StandardWebhooksKey(secret, setting: "secret")
            ])
        } catch {
            throw ValidationError("the secret cannot be used: \(error.message)")
        }
    }

    /// A verifier of messages signed with any of these secrets.
    static func verifier(_ secrets: [[UInt8]]) throws -> StandardWebhooks {
        do throws(SettingsError) {
            var settings = EndpointSettings(name: "receive")
            settings.secrets = try secrets.map { secret throws(SettingsError) in
                // The sender's private key includes the public one.
                guard
                    case .signing(let key) = try StandardWebhooksKey(secret, setting: "secret")
                else { return secret }
                return Array(StandardWebhooksKey.publicText(key.publicKey).utf8)
            }
            return try StandardWebhooks(settings: settings)
        } catch {
            throw ValidationError("the secret cannot be used: \(error.message)")
        }
    }
}
