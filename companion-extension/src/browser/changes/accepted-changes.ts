// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { status } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { FileChange } from '../../common/changes/changes-protocol';
import { FileText } from '../../common/diff/line-hunks';
import { plain } from '../../common/same-text';
import { CHANGE_COMMANDS } from './changes-command-ids';
import { Written } from '../review/expected-write';
import { WrittenFiles } from '../review/written-files';
import { WorkspacePaths } from '../window/workspace-paths';
import { ChangeOffer } from './change-offer';

const MAX_ACCEPTED = 20;

/** A proposal that was accepted and written. It was seen, so it is kept: it counts in no number, and only offers Undo. */
export interface AcceptedChange extends Pick<FileChange, 'uri' | 'authors' | 'kind'> {
    /** Of its review. */
    readonly id: string;
    /** What stood there; as in the list, with `\n` at the ends of lines. */
    readonly base: FileText;
    /** As it was written. */
    readonly text: string;
}

/** What was accepted since the page was loaded, also where no changes are listed: the review has both texts. */
@injectable()
export class AcceptedChanges implements FrontendApplicationContribution {
    @inject(WrittenFiles)
    protected readonly written: Pick<WrittenFiles, 'onDidWrite'>;
    @inject(ChangeOffer)
    protected readonly offer: ChangeOffer;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;

    protected accepted: readonly AcceptedChange[] = [];
    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;
    protected readonly toDispose = new DisposableCollection(this.onDidChangeEmitter);

    onStart(): void {
        this.toDispose.push(this.written.onDidWrite(written => this.add(written)));
    }

    onStop(): void {
        this.offer.hide();
        this.toDispose.dispose();
    }

    /** The newest first. */
    get all(): readonly AcceptedChange[] {
        return this.accepted;
    }

    /** It is undone. */
    remove({ id }: AcceptedChange): void {
        this.accepted = this.accepted.filter(one => one.id !== id);
        this.offer.hide();
        this.onDidChangeEmitter.fire();
    }

    protected add(written: Written): void {
        const { review, before, text } = written;
        const what = this.describe(written);
        status(what);
        if (before.text === undefined || text === undefined) {
            // There is no text to come back to, or none to find again.
            return;
        }
        const { id, uri, cliName } = review;
        const base = before.exists ? plain(before.text) : null;
        const change: AcceptedChange = { id, uri, authors: [cliName], kind: before.exists ? 'modified' : 'added', base, text: plain(text) };
        this.accepted = [change, ...this.accepted.filter(one => one.id !== id)].slice(0, MAX_ACCEPTED);
        const { id: command, label: tooltip = '' } = CHANGE_COMMANDS.UNDO_ACCEPTED;
        this.offer.show(what, { id: command, iconClass: 'discard', label: nls.localizeByDefault('Undo'), tooltip });
        this.onDidChangeEmitter.fire();
    }

    protected describe({ review, differs, lost }: Written): string {
        const path = this.paths.display(review.path);
        if (lost === 'link') {
            return nls.localize('theia/cli-companion/review/writtenLink', '{0} written: it was a link, and is a file of its own now', path);
        }
        if (lost === 'executable') {
            return nls.localize('theia/cli-companion/review/writtenMode', '{0} written: it cannot be executed any more', path);
        }
        return differs
            ? nls.localize('theia/cli-companion/review/writtenOtherwise', '{0} written, but not as you accepted it', path)
            : nls.localize('theia/cli-companion/review/written', '{0} written', path);
    }
}
