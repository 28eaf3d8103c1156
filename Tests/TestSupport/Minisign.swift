// SPDX-License-Identifier: Apache-2.0

/// The program `minisign` and a pair of keys of its making, in a directory of their own.
package struct Minisign {
    package let files: TemporaryDirectory

    package init() throws {
        files = try TemporaryDirectory()
        try files.run("minisign", ["-G", "-W", "-p", "key.pub", "-s", "key.sec"])
    }

    /// The path of the public key.
    package var key: String { files.path("key.pub") }

    /// The digits by which a signature names the key.
    package var number: String {
        get throws {
            let comment = String(decoding: try files.read("key.pub"), as: UTF8.self)
                .split(separator: "\n")[0]
            return String(comment.split(separator: " ").last ?? "")
        }
    }

    /// Puts the public key into a directory of trusted keys.
    package func trust(_ prefixes: String..., in directory: TemporaryDirectory, as name: String)
        throws
    {
        let lines = String(decoding: try files.read("key.pub"), as: UTF8.self)
            .split(separator: "\n")
        let words = prefixes.map { " prefix=\($0)" }.joined()
        try directory.write("\(lines[0])\(words)\n\(lines[1])\n", to: name)
    }

    /// Signs a file, and returns the signature, which stands beside it.
    ///
    /// - Parameter file: an absolute path, or one of the directory.
    @discardableResult
    package func sign(_ file: String, comment: String, legacy: Bool = false) throws -> [UInt8] {
        try files.run(
            "minisign",
            ["-S"] + (legacy ? ["-l"] : []) + ["-s", "key.sec", "-m", file, "-t", comment]
                + ["-x", "made.minisig"])
        let signature = try files.read("made.minisig")
        try files.run("cp", ["made.minisig", file + ".minisig"])
        return signature
    }

    /// Returns the trusted comment if minisign finds the signature of a file valid, or nil.
    package func comment(
        of file: String, signature: [UInt8], key: [UInt8]? = nil
    ) throws -> String? {
        try files.write(signature, to: "checked.minisig")
        try files.write(try key ?? files.read("key.pub"), to: "checked.pub")
        let run = try ChildProcess.run(
            "minisign",
            ["-V", "-Q", "-H", "-p", "checked.pub", "-x", "checked.minisig", "-m", file],
            directory: files.path)
        guard run.succeeded else { return nil }
        return String(run.output.dropLast())
    }
}
