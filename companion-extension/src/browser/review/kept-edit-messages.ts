// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { KeptEdit, ReviewSave } from '../../common/companion-protocol';
import { editId } from '../../common/revision';
import { ClosableMessage, ClosableMessages } from '../window/closable-messages';
import { TabMemory } from '../window/tab-memory';
import { WorkspacePaths } from '../window/workspace-paths';

/** Belongs to the tab, and survives a reload of its page. */
const STORAGE_KEY = 'companion.offeredEdits';
/** Ids of edits that the tab remembers. */
const REMEMBERED = 200;

/** Since when it is kept, with the day and the second: it may be days ago, and beside another one of the same minute. */
export function describeKeptTime({ keptAt }: KeptEdit): string {
    return new Intl.DateTimeFormat(nls.locale ?? 'en', { dateStyle: 'medium', timeStyle: 'medium' }).format(keptAt);
}

/**
 * Offers each kept edit once while it is new, also over a reload of the page: after that, the status bar and its list say that it is kept.
 * Closing a message decides nothing. A message disappears with its edit.
 */
@injectable()
export class KeptEditMessages {
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;
    @inject(ClosableMessages)
    protected readonly closable: ClosableMessages;

    /** Messages by the edits' ids. */
    protected readonly shown = new Map<string, ClosableMessage>();
    protected offered: Set<string> | undefined;

    /** @param answered the user pressed a button */
    update(edits: readonly KeptEdit[], answered: (edit: KeptEdit, answer: 'show' | 'discard') => void): void {
        const ids = new Set(edits.map(({ id }) => id));
        for (const [id, message] of [...this.shown].filter(([known]) => !ids.has(known))) {
            message.dispose();
            this.shown.delete(id);
        }
        for (const edit of edits.filter(({ id, quiet }) => !quiet && !this.known.has(id))) {
            this.remember(edit.id);
            const isAlone = edits.every(other => other === edit || other.path !== edit.path || other.reason !== edit.reason);
            const text = isAlone ? this.describe(edit) : `${this.describe(edit)} (${describeKeptTime(edit)})`;
            this.shown.set(
                edit.id,
                this.offer(text, answer => answered(edit, answer))
            );
        }
    }

    /** The user needs no message about the edit that this text becomes. */
    rememberText({ about, revision }: ReviewSave): void {
        this.remember(editId(about.reviewId, revision));
    }

    protected remember(id: string): void {
        this.known.add(id);
        TabMemory.write(STORAGE_KEY, JSON.stringify([...this.known].slice(-REMEMBERED)));
    }

    protected get known(): Set<string> {
        this.offered ??= new Set(TabMemory.readIds(STORAGE_KEY));
        return this.offered;
    }

    protected offer(text: string, answered: (answer: 'show' | 'discard') => void): ClosableMessage {
        const show = nls.localize('theia/cli-companion/edits/show', 'Show My Edits');
        const discard = nls.localize('theia/cli-companion/edits/discard', 'Discard');
        const message = this.closable.show('warn', text, show, discard);
        void message.answer.then(answer => {
            if (answer !== undefined) {
                answered(answer === show ? 'show' : 'discard');
            }
        });
        return message;
    }

    protected describe({ cliName, reason, path: file }: KeptEdit): string {
        const path = this.paths.display(file);
        switch (reason) {
            case 'rejected':
                return nls.localize(
                    'theia/cli-companion/edits/rejected',
                    'The proposal for {0} was rejected. Your edits to it are kept.',
                    path
                );
            case 'terminal':
                return nls.localize(
                    'theia/cli-companion/edits/terminal',
                    'You answered {0} in its terminal, so your edits to {1} were not used. They are kept here.',
                    cliName,
                    path
                );
            case 'ended':
                return nls.localize(
                    'theia/cli-companion/edits/ended',
                    '{0} ended its proposal for {1} without taking your edits. They are kept here.',
                    cliName,
                    path
                );
            case 'stopped':
                return nls.localize(
                    'theia/cli-companion/edits/stopped',
                    'The IDE was stopped before you answered the proposal for {0}. Your edits to it are kept here.',
                    path
                );
            case 'replaced':
                return nls.localize(
                    'theia/cli-companion/edits/replaced',
                    '{0} made a new proposal for {1}. Your edits to the previous one are kept here.',
                    cliName,
                    path
                );
            case 'notWritten':
                return nls.localize(
                    'theia/cli-companion/edits/notWritten',
                    '{0} has not written your edits to {1}. They are kept here.',
                    cliName,
                    path
                );
            case 'elsewhere':
                return nls.localize(
                    'theia/cli-companion/edits/elsewhere',
                    'The proposal for {0} no longer has what you typed on one of your pages. That text is kept here.',
                    path
                );
            case 'late':
                return nls.localize(
                    'theia/cli-companion/edits/late',
                    'Your last edits to {0} arrived after the proposal had ended. They are kept here.',
                    path
                );
        }
    }
}
