// SPDX-License-Identifier: Apache-2.0

/// The outputs of a command: one for data and events, one for errors.
struct Console {
    let out = Output(descriptor: 1)
    let errors = Output(descriptor: 2)

    func makePlain() {
        out.makePlain()
        errors.makePlain()
    }
}
