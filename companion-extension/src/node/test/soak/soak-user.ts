// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { CommentDraft } from '../../../common/comments-protocol';
import { TestService } from '../test-backend';
import { SoakRepository } from './soak-repository';

/** In milliseconds. A turn of agents ends after a rest of 20 s. */
const WORK_TIME = 35_000;
const REST_TIME = 25_000;
/** How long the stash lasts. */
const STASH_TIME = 3_000;
const COMMENTS = 3;
const WINDOWS = 2;

/** A user with two windows of one repository: while agents work, the user comments; when they rest, the user undoes turns or works with git. */
export class SoakUser {
    readonly counts = { turnsUndone: 0, putBack: 0, commented: 0, commits: 0, stashes: 0 };
    private readonly faults: string[] = [];
    private hasLeft = false;
    /** Calls something: no page reloads meanwhile. */
    isActing = false;

    constructor(
        private readonly repository: SoakRepository,
        private readonly services: () => TestService[]
    ) {}

    async work(): Promise<void> {
        const steps = [() => this.undoTurn(false), () => this.stash(), () => this.undoTurn(true), () => this.commit()];
        for (let round = 0; !this.hasLeft; round++) {
            // In the first round of each four all is kept.
            this.repository.keeps = round % steps.length === 3;
            this.repository.rest(false);
            await this.run(() => this.comment(round));
            await this.pause(WORK_TIME);
            this.repository.rest(true);
            await this.pause(REST_TIME);
            await this.run(steps[round % steps.length]);
        }
    }

    leave(): void {
        this.hasLeft = true;
    }

    takeFaults(): string[] {
        return this.faults.splice(0);
    }

    /** Written in one window, sent from the other one. */
    private async comment(round: number): Promise<void> {
        const [one, other] = this.services();
        const drafts = Array.from({ length: COMMENTS }, (_, index): CommentDraft => {
            const uri = FileUri.create(this.repository.file(index)).toString();
            return { id: randomUUID(), uri, text: `comment ${index} of round ${round}`, first: 2, last: 2, quote: 'a line' };
        });
        await Promise.all(drafts.map(draft => one.saveComment(draft)));
        const listed = (await other.listComments()).filter(({ isSent }) => !isSent);
        const missing = drafts.filter(({ id }) => !listed.some(comment => comment.id === id));
        if (missing.length > 0) {
            this.fault(`${missing.length} comments are not in the other window`);
        }
        await other.markCommentsSent(listed.map(({ id }) => id));
        const left = (await one.listComments()).filter(({ isSent }) => !isSent);
        if (left.length > 0) {
            this.fault(`${left.length} comments were sent, and still wait`);
        }
        this.counts.commented += drafts.length;
    }

    /** The newest turn in one window; put back in the other one, or not. */
    private undoTurn(putsBack: boolean): Promise<void> {
        return this.repository.alone(() => this.undoNewest(putsBack));
    }

    private async undoNewest(putsBack: boolean): Promise<void> {
        const [one, other] = this.services();
        const [turn] = (await one.readChanges(true)).turns;
        const plan = turn && (await one.planTurnUndo(turn.id, false));
        const files = plan?.filter(({ left }) => left !== 'stays').map(({ uri, version }) => ({ uri, version })) ?? [];
        if (files.length === 0) {
            this.fault('there is no turn to undo');
            return;
        }
        const { done, left } = await one.undoTurn(turn.id, false, files);
        left.forEach(({ uri, reason, cause = '' }) => this.fault(`an undo left ${uri}: ${reason} ${cause}`));
        this.repository.forget(done.map(uri => FileUri.fsPath(uri)));
        this.counts.turnsUndone++;
        if (putsBack) {
            const [{ id }] = (await other.readChanges(true)).undone;
            const back = await other.putBack(id);
            if (back.done.length !== done.length) {
                this.fault(`${done.length} files were undone, ${back.done.length} put back: ${JSON.stringify(back.left)}`);
            }
            this.counts.putBack++;
        }
    }

    private async stash(): Promise<void> {
        const { repository } = this;
        await repository.alone(async () => {
            await repository.git('stash');
            await repository.git('checkout', '-q', 'other');
            await this.pause(STASH_TIME);
            await repository.git('checkout', '-q', 'main');
            await repository.git('stash', 'pop', '-q');
        });
        this.counts.stashes++;
    }

    private async commit(): Promise<void> {
        await this.repository.alone(() => this.repository.git('commit', '-q', '-a', '-m', 'work'));
        // No agent works: it counts as kept.
        this.repository.forget();
        this.counts.commits++;
    }

    private async run(step: () => Promise<void>): Promise<void> {
        while (this.services().length < WINDOWS) {
            await this.pause(50);
        }
        this.isActing = true;
        try {
            await step();
        } catch (error) {
            if (!this.hasLeft) {
                this.fault(error instanceof Error ? (error.stack ?? error.message) : String(error));
            }
        } finally {
            this.isActing = false;
        }
    }

    private pause(milliseconds: number): Promise<void> {
        return new Promise(resolve => setTimeout(resolve, milliseconds).unref());
    }

    private fault(text: string): void {
        this.faults.push(`${new Date().toISOString()} ${text}`);
    }
}
