// SPDX-License-Identifier: Apache-2.0

import type { ShellProcess } from '@theia/terminal/lib/node/shell-process';
import { BackendPreferences } from '../../common/companion-preferences';

/** A shell in a terminal, as Theia starts it. */
export type TerminalShell = Pick<ShellProcess, 'pid' | 'write' | 'createOutputStream' | 'onClose' | 'onError'>;

export const ShellObserver = Symbol('ShellObserver');
/** Follows what the shells in terminals write. */
export interface ShellObserver {
    /** Throws if the shell could not be started. @param preferences of the shell's window, now */
    follow(shell: TerminalShell, preferences: () => BackendPreferences): void;
}
