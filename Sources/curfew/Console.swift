// SPDX-License-Identifier: Apache-2.0

/// Where a command writes: data and the life of a task to one, errors to the other.
struct Console {
    let out = Output(descriptor: 1)
    let errors = Output(descriptor: 2)

    func makePlain() {
        out.makePlain()
        errors.makePlain()
    }
}
