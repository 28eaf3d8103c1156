// SPDX-License-Identifier: Apache-2.0
import TestSupport

/// A program under the eyes of somebody who reads what it writes and sends signals.
///
/// Each step waits for a text to appear after the one before it, and then does something: `^C` is
/// typed at the terminal, and so is what comes after `type `; `TERM` and the like are sent.
struct Typist {
    /// What appeared, with its escape sequences; both streams at a terminal, else standard output.
    let screen: String
    /// The status a shell would tell; nil when its time was up.
    let code: Int32?

    init(
        columns: Int? = 80, steps: [(after: String, act: String)] = [],
        environment: [String: String] = [:], _ words: String..., more: [String] = []
    ) throws {
        let arguments =
            ["-c", Typist.script, columns.map(String.init) ?? "pipe", String(steps.count)]
            + steps.flatMap { [$0.after, $0.act] } + words + more
        let process = try ChildProcess.run(
            "python3", arguments,
            environment: CommandRun.environment.merging(environment) { $1 }, limit: .seconds(60))
        screen = process.output
        code = if case .exited(let code) = process.ending { code } else { nil }
    }

    /// What stood on the screen's lines at some time, without escape sequences.
    var lines: [String] {
        // By scalars: CR LF is one character.
        screen.replacing(/\u{1B}\[[0-9;]*[mK]/.matchingSemantics(.unicodeScalar), with: "")
            .unicodeScalars.split { $0 == "\n" || $0 == "\r" }.map { String($0) }
    }

    private static let script = """
        import fcntl, os, pty, signal, struct, subprocess, sys, termios
        columns, steps = sys.argv[1], int(sys.argv[2])
        plan = [(sys.argv[3 + 2 * i].encode(), sys.argv[4 + 2 * i]) for i in range(steps)]
        words = sys.argv[3 + 2 * steps:]
        if columns == "pipe":
            child = subprocess.Popen(words, stdout=subprocess.PIPE)
            reader, terminal = child.stdout.fileno(), None
        else:
            reader, terminal = pty.openpty()
            size = struct.pack("HHHH", 24, int(columns), 0, 0)
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
            # The kernel sends the signal of ^C first and then discards what waits to
            # be read, so what a program says of the signal can be lost; not with this.
            modes = termios.tcgetattr(terminal)
            modes[3] |= termios.NOFLSH
            termios.tcsetattr(terminal, termios.TCSANOW, modes)
            def own():
                os.setsid()
                fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
            child = subprocess.Popen(
                words, stdin=terminal, stdout=terminal, stderr=terminal, preexec_fn=own)
            os.close(terminal)
        seen, start = b"", 0
        while True:
            try:
                piece = os.read(reader, 65536)
            except OSError:
                break
            if not piece:
                break
            seen += piece
            while plan and plan[0][0] in seen[start:]:
                text, act = plan.pop(0)
                start = seen.index(text, start) + len(text)
                if act == "^C":
                    os.write(reader, b"\\x03")
                elif act.startswith("type "):
                    os.write(reader, act[5:].encode())
                else:
                    child.send_signal(getattr(signal, "SIG" + act))
        code = child.wait()
        sys.stdout.buffer.write(seen)
        sys.stdout.flush()
        os._exit(code if code >= 0 else 128 - code)
        """
}
