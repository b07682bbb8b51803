// SPDX-License-Identifier: Apache-2.0
// The image's health check: exit code 0 if the backend serves its page.

const signal = AbortSignal.timeout(4_000);
const answer = await fetch(`http://127.0.0.1:${process.env.PORT ?? 3000}/`, { signal }).catch(() => undefined);
process.exit(answer?.ok ? 0 : 1);
