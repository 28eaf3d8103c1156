// SPDX-License-Identifier: Apache-2.0

/// What was counted until now.
struct SurveySum {
    var files = 0
    var bytes: Int64 = 0
}
