// SPDX-License-Identifier: Apache-2.0

import { MessageService } from '@theia/core/lib/common/message-service';
import { inject, injectable } from '@theia/core/shared/inversify';
import { UndoResult } from '../../common/changes/changes-protocol';
import { plainText } from '../../common/plain-text';
import { ChangeOutcome } from './change-undo';
import { nameIn } from './change-uris';
import { outcomeText } from './change-words';

/** So many files are asked for at once. */
const AT_ONCE = 10;
const MESSAGE_TIME_MS = 8_000;

/** Says once what of an answer was not done, and why. */
@injectable()
export class ChangeOutcomes {
    @inject(MessageService)
    protected readonly messages: MessageService;

    /** @returns the URIs of those that are done */
    async doneOf(act: () => Promise<UndoResult>): Promise<string[]> {
        try {
            const { done, left } = await act();
            const names = new Map<ChangeOutcome, string[]>();
            left.forEach(({ uri, reason, cause }) => {
                const name = nameIn(uri);
                names.set(reason, [...(names.get(reason) ?? []), cause === undefined ? name : `${name}: ${cause}`]);
            });
            this.say(names);
            return done;
        } catch (error) {
            this.messages.error(plainText(error instanceof Error ? error.message : String(error)));
            return [];
        }
    }

    /** @returns those that are done */
    async decide<T extends { uri: string }>(files: readonly T[], run: (file: T) => Promise<ChangeOutcome>): Promise<T[]> {
        const done: T[] = [];
        const names = new Map<ChangeOutcome, string[]>();
        try {
            for (let first = 0; first < files.length; first += AT_ONCE) {
                const some = files.slice(first, first + AT_ONCE);
                const outcomes = await Promise.all(some.map(run));
                done.push(...some.filter((_, index) => outcomes[index] === 'done'));
                outcomes.forEach((outcome, index) => names.set(outcome, [...(names.get(outcome) ?? []), nameIn(some[index].uri)]));
            }
        } catch (error) {
            this.messages.error(plainText(error instanceof Error ? error.message : String(error)));
        }
        names.delete('done');
        this.say(names);
        return done;
    }

    protected say(names: ReadonlyMap<ChangeOutcome, readonly string[]>): void {
        names.forEach((of, outcome) => this.messages.info(plainText(outcomeText(outcome, of)), { timeout: MESSAGE_TIME_MS }));
    }
}
