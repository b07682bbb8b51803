// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { injectable } from '@theia/core/shared/inversify';
import { Baseline, ChangeList, ChangesState } from '../../common/changes/changes-protocol';
import { FileText, LineHunk } from '../../common/changes/line-hunks';

/** What was changed outside the editor while agents ran, in the folders of all windows. */
@injectable()
export class Changes {
    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;

    /** @param roots real paths */
    stateOf(_roots: readonly string[]): ChangesState {
        return { version: 0, count: 0 };
    }

    async list(_roots: readonly string[], _look: boolean): Promise<ChangeList> {
        return { version: 0, tracking: false, files: [], more: 0, undone: [] };
    }

    async baseline(_file: string): Promise<Baseline | undefined> {
        return undefined;
    }

    async keep(_file: string, _version: number, _lines?: LineHunk): Promise<boolean> {
        return false;
    }

    async mayUndo(_file: string, _version: number, _left: FileText | undefined): Promise<boolean> {
        return false;
    }

    async readUndone(_roots: readonly string[], _id: string): Promise<{ uri: string; text?: string } | undefined> {
        return undefined;
    }
}
