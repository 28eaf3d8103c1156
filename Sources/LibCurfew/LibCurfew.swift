// SPDX-License-Identifier: Apache-2.0

// The library that is installed: the C interface, and how it is linked. A target of its own, because
// whatever a target says about linking holds for all that contain it, and programs that contain the
// C interface link their own way.
import CInterface
