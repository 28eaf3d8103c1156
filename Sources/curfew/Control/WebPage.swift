// SPDX-License-Identifier: Apache-2.0
import CWeb
import Service

/// The files of the web page, which a browser loads from the same place as what they show.
enum WebPage {
    /// Nothing comes from elsewhere, nothing is written into the page itself, and nobody shows it inside another one.
    private static let headers = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
        ),
        ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    // Constants of the program.
    nonisolated(unsafe) private static let files:
        [String: (type: String, bytes: UnsafeBufferPointer<UInt8>)] = {
            var count: UInt64 = 0
            let files = UnsafeBufferPointer(start: cweb_files(&count), count: Int(count))
            return Dictionary(
                uniqueKeysWithValues: files.map { file in
                    (
                        String(cString: file.name),
                        (
                            String(cString: file.type),
                            UnsafeBufferPointer(start: file.bytes, count: Int(file.count))
                        )
                    )
                })
        }()

    /// Returns a file; nil if there is none of that name.
    static func answer(_ name: String) -> HTTPAnswer? {
        guard let file = files[name] else { return nil }
        return HTTPAnswer(200, Array(file.bytes), file.type, headers: headers)
    }
}
