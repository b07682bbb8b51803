// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { Comment, CommentDraft, CommentLimits } from '../../common/comments-protocol';
import { isInside } from '../host/paths';
import { Window } from '../server/window';
import { WindowFeature, WindowStatePart } from '../server/window-feature';
import { CommentFiles, CommentFolder } from './comment-files';
import { StoredComment } from './stored-comment';

/**
 * The comments of users on lines. They belong to the folder of the workspace: every window of it lists them. Those that are not sent go when
 * they were listed on more than {@link CommentLimits.days} days, which are counted: a clock may be set by weeks.
 */
@injectable()
export class Comments implements WindowFeature {
    @inject(CommentFiles)
    protected readonly files: CommentFiles;

    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;
    protected version = 0;

    stateOf(): WindowStatePart {
        return { comments: this.version };
    }

    /** The day today, as `2026-11-26`. Tests set it. */
    today(): string {
        return new Date().toISOString().slice(0, 10);
    }

    /** Rejects if there are too many. @param isMoved its text stays */
    save(window: Window, draft: CommentDraft, isMoved = false): Promise<void> {
        return this.change(async folder => {
            const all = await folder.read();
            const before = all.find(({ id }) => id === draft.id);
            const listed = all.filter(comment => isListed(window, comment));
            if (!before && (listed.length >= CommentLimits.listed || all.length >= CommentLimits.stored)) {
                throw new Error(`There are ${listed.length} comments here, and ${all.length} in all: no room for more`);
            }
            const { id, first, last, quote } = draft;
            const { text } = isMoved && before ? before : draft;
            const uri = FileUri.create(window.workspace.resolve(FileUri.fsPath(draft.uri))).toString();
            await folder.write({
                ...{ id, uri, first, last, quote, text },
                roots: before?.roots ?? window.roots,
                windowId: before?.windowId ?? window.id,
                writtenAt: before?.writtenAt ?? Date.now(),
                days: before?.days ?? 0,
                lastDay: before?.lastDay ?? '',
                // A save that is made again must not take it back.
                isSent: before?.isSent === true && before.text === text
            });
        });
    }

    discard(window: Window, id: string): Promise<void> {
        return this.change(async folder => {
            if ((await listedIn(window, folder)).some(comment => comment.id === id)) {
                await folder.remove(id);
            }
        });
    }

    markSent(window: Window, ids: readonly string[]): Promise<void> {
        return this.change(async folder => {
            for (const comment of await listedIn(window, folder)) {
                if (ids.includes(comment.id)) {
                    await folder.write({ ...comment, isSent: true });
                } else if (comment.isSent) {
                    await folder.remove(comment.id);
                }
            }
        });
    }

    list(window: Window): Promise<Comment[]> {
        return this.files.run(async folder => {
            const listed: Comment[] = [];
            for (const comment of await listedIn(window, folder)) {
                const counted = this.countDay(comment);
                if (!counted.isSent && counted.days > CommentLimits.days) {
                    await folder.remove(counted.id);
                    continue;
                }
                if (counted !== comment) {
                    await folder.write(counted);
                }
                const { id, uri, first, last, quote, text, isSent, days } = counted;
                const daysLeft = CommentLimits.days + 1 - days;
                listed.push({ id, uri: window.workspace.nameOf(uri), first, last, quote, text, isSent, daysLeft });
            }
            return listed;
        });
    }

    protected countDay(comment: StoredComment): StoredComment {
        const lastDay = this.today();
        return comment.lastDay === lastDay ? comment : { ...comment, lastDay, days: comment.days + 1 };
    }

    protected async change(task: (folder: CommentFolder) => Promise<void>): Promise<void> {
        await this.files.run(task);
        this.version++;
        this.onDidChangeEmitter.fire();
    }
}

async function listedIn(window: Window, folder: CommentFolder): Promise<StoredComment[]> {
    return (await folder.read()).filter(comment => isListed(window, comment));
}

function isListed(window: Window, { roots, windowId, uri }: StoredComment): boolean {
    return (
        (roots.length === 0 ? windowId === window.id : window.hasRoots(roots)) ||
        window.roots.some(root => isInside(root, FileUri.fsPath(uri)))
    );
}
