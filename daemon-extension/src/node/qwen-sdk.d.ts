// SPDX-License-Identifier: Apache-2.0

/**
 * The package maps this subpath only for resolvers newer than the one that Theia's sources need (`moduleResolution: Node`).
 * At run time Node and the bundlers resolve the subpath by themselves.
 */
declare module '@qwen-code/sdk/daemon' {
    export * from '@qwen-code/sdk/dist/daemon/index';
}
