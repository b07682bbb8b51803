// SPDX-License-Identifier: Apache-2.0

/** How the server introduces itself to MCP clients. A test keeps it equal to the package. */
export const SERVER_INFO = { name: 'theia-cli-companion', version: '0.1.0' } as const;
