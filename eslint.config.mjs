// SPDX-License-Identifier: Apache-2.0

export { default } from './configs/eslint.config.mjs';
