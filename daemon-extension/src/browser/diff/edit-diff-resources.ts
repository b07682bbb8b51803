// SPDX-License-Identifier: Apache-2.0

import { MarkdownStringImpl } from '@theia/core/lib/common/markdown-rendering/markdown-string';
import { nls } from '@theia/core/lib/common/nls';
import { Resource, ResourceResolver } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { problemText } from '../../common/daemon-problem';
import { DiffInfo, DiffTexts, EditReference } from '../../common/qwen-daemon-protocol';
import { BackendConnection } from '../connection/backend-connection';

const BEFORE_SCHEME = 'qwen-daemon-before';
const AFTER_SCHEME = 'qwen-daemon-after';

/** One edit of a file by a tool call of the daemon. */
export interface Edit extends EditReference {
    sessionId: string;
}

/** A file that was edited. */
export interface ChangedFile {
    edit: Edit;
    diff: DiffInfo;
}

export interface EditDiffSide extends Edit {
    side: 'before' | 'after';
}

/** URIs of the two sides of a tool call's edit. The path is the file's on the daemon's host: it decides language and label only. */
export namespace EditDiffUris {
    export function create(side: EditDiffSide, path: string): URI {
        const query = new URLSearchParams({ session: side.sessionId, turn: side.turnId, tool: side.toolId }).toString();
        return new URI()
            .withScheme(side.side === 'before' ? BEFORE_SCHEME : AFTER_SCHEME)
            .withPath(path.startsWith('/') ? path : `/${path.replaceAll('\\', '/')}`)
            .withQuery(query);
    }

    /** `undefined` for other URIs. */
    export function parse(uri: URI): EditDiffSide | undefined {
        if (uri.scheme !== BEFORE_SCHEME && uri.scheme !== AFTER_SCHEME) {
            return undefined;
        }
        const query = new URLSearchParams(uri.query);
        const sessionId = query.get('session');
        const turnId = query.get('turn');
        const toolId = query.get('tool');
        const side = uri.scheme === BEFORE_SCHEME ? 'before' : 'after';
        return sessionId && turnId && toolId ? { sessionId, turnId, toolId, side } : undefined;
    }
}

/**
 * Both sides of an edit, read-only: a vote cannot carry changes back to the daemon (Qwen Code 0.24). A diff that Theia restores with the layout
 * is resolved only as long as its edit is known; otherwise Theia drops the tab.
 */
@injectable()
export class EditDiffResourceResolver implements ResourceResolver {
    @inject(BackendConnection)
    protected readonly connection: BackendConnection;

    async resolve(uri: URI): Promise<Resource> {
        const edit = EditDiffUris.parse(uri);
        if (!edit) {
            throw new Error(`Not an edit of the Qwen daemon: '${uri.toString()}'`);
        }
        return new EditDiffResource(uri, edit, await this.read(edit));
    }

    protected async read({ sessionId, turnId, toolId }: Edit): Promise<DiffTexts> {
        const edit = { turnId, toolId };
        const answer = await this.connection.call(async backend => ({ ok: true, value: await backend.readDiff(sessionId, edit) }));
        if (!answer.ok) {
            throw new Error(problemText(answer.problem));
        }
        if (!answer.value) {
            throw new Error(nls.localize('theia/qwen-daemon/diff/gone', 'The texts of this edit are no longer kept.'));
        }
        return answer.value;
    }
}

class EditDiffResource implements Resource {
    readonly readOnly = new MarkdownStringImpl(
        nls.localize('theia/qwen-daemon/diff/readOnly', 'You cannot edit this proposal. Reject it and say what to change.')
    );
    readonly autosaveable = false;

    constructor(
        readonly uri: URI,
        protected readonly edit: EditDiffSide,
        protected readonly texts: DiffTexts
    ) {}

    async readContents(): Promise<string> {
        const text = this.edit.side === 'before' ? this.texts.oldText : this.texts.newText;
        return this.texts.truncated
            ? `${text}\n${nls.localize('theia/qwen-daemon/diff/truncated', '[Too large: the rest is not shown.]')}\n`
            : text;
    }

    dispose(): void {}
}
