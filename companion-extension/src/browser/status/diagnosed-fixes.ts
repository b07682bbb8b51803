// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { injectable } from '@theia/core/shared/inversify';

/** What mends one problem of a CLI: a line for its prompt, or for the shell in the terminal that was examined. */
export interface DiagnosedFix {
    readonly cliId: string;
    readonly displayName: string;
    readonly command: string;
    /** The shell's process id; absent if no terminal was examined. */
    readonly shell: number | undefined;
}

/** What the diagnosis says how to mend, while it is open. */
@injectable()
export class DiagnosedFixes {
    all: readonly DiagnosedFix[] = [];
    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;

    set(fixes: readonly DiagnosedFix[]): void {
        this.all = fixes;
        this.onDidChangeEmitter.fire();
    }
}
