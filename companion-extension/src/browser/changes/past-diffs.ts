// SPDX-License-Identifier: Apache-2.0

import { DiffUris } from '@theia/core/lib/browser/diff-uris';
import { open, OpenerService } from '@theia/core/lib/browser/opener-service';
import { nls } from '@theia/core/lib/common/nls';
import { Resource, ResourceResolver } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { ChangesBackend, UndoneChange, UndoneTexts } from '../../common/changes/changes-protocol';
import { AcceptedProposal } from '../../common/companion-protocol';
import { fromWire } from '../../common/diff/raw-text';
import { ReviewBackend } from '../../common/review-protocol';
import { noAnswerText } from '../../common/sentences';
import { visibleText } from '../../common/visible-text';
import { FileEncodings } from '../diff/file-encodings';
import { CompanionConnection } from '../window/companion-connection';
import { ReadOnlyResource } from '../window/read-only-resource';
import { isUndone, undoneWhen, acceptedWhen } from './change-groups';
import { CHANGES_LIMIT_MS } from './page-changes';

/** `companion-past:<absolute path>?<kind> <side> <id>`. The path gives language and icon. */
const PAST_SCHEME = 'companion-past';

/** What was undone, and what was accepted: both sides are texts of then, and nothing can be decided. */
@injectable()
export class PastDiffs implements ResourceResolver {
    @inject(ChangesBackend)
    protected readonly changes: Pick<ChangesBackend, 'readUndone'>;
    @inject(ReviewBackend)
    protected readonly reviews: Pick<ReviewBackend, 'readAccepted'>;
    @inject(CompanionConnection)
    protected readonly connection: Pick<CompanionConnection, 'ask' | 'ready'>;
    @inject(FileEncodings)
    protected readonly encodings: Pick<FileEncodings, 'textOf'>;
    @inject(OpenerService)
    protected readonly opener: OpenerService;

    /** The file itself if there are no texts of it any more. */
    async show(past: UndoneChange | AcceptedProposal): Promise<void> {
        const file = new URI(past.uri);
        const kind = isUndone(past) ? 'undone' : 'accepted';
        const name = visibleText(file.path.base);
        const title = isUndone(past)
            ? nls.localize('theia/cli-companion/changes/undoneTitle', '{0} (undone, {1})', name, undoneWhen(past))
            : nls.localize('theia/cli-companion/changes/acceptedTitle', '{0} (accepted, {1})', name, acceptedWhen(past));
        const [before, after] = ['before', 'after'].map(side => file.withScheme(PAST_SCHEME).withQuery([kind, side, past.id].join(' ')));
        const texts = await this.read(before);
        await open(this.opener, texts ? DiffUris.encode(before, after, title) : file);
    }

    resolve(uri: URI): Resource {
        if (uri.scheme !== PAST_SCHEME) {
            throw new Error(`Not a text of then: '${uri.toString()}'`);
        }
        const side = uri.query.split(' ')[1] === 'before' ? 'before' : 'after';
        return new ReadOnlyResource(uri, async () => {
            const text = (await this.read(uri))?.[side];
            return text === undefined ? '' : this.encodings.textOf(fileOf(uri), fromWire(text));
        });
    }

    protected async read(uri: URI): Promise<UndoneTexts | undefined> {
        const [kind, , id] = uri.query.split(' ');
        const file = fileOf(uri).toString();
        const read = async (): Promise<UndoneTexts | undefined> =>
            kind === 'undone' ? this.changes.readUndone(id, file) : this.reviews.readAccepted(id);
        // A diff is restored before the hello, and the backend would refuse.
        await this.connection.ready;
        return (await this.connection.ask(read, CHANGES_LIMIT_MS, noAnswerText())) ?? undefined;
    }
}

function fileOf(past: URI): URI {
    return past.withScheme('file').withQuery('');
}
