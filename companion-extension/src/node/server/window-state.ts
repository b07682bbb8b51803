// SPDX-License-Identifier: Apache-2.0

import { FileUri } from '@theia/core/lib/common/file-uri';
import { CliConnection, CompanionProblem, CompanionStatus, ReviewInfo, ReviewTraits, StartableCli } from '../../common/companion-protocol';
import { visibleText } from '../../common/visible-text';
import { Review, ReviewOwner } from '../review/review';
import { CompanionWindow } from './companion-window';
import { IdeServer } from './ide-server';

/**
 * Describes a review to a page.
 *
 * @param all the waiting reviews of all servers
 */
export function reviewInfo(review: Review, all: readonly Review[], names: CliNames, traits: ReviewTraits): ReviewInfo {
    const others = all.filter(other => other !== review && other.file.path === review.file.path);
    return {
        id: review.id,
        path: visibleText(review.file.path),
        uri: FileUri.create(review.file.path).toString(),
        cliName: names.nameOf(review.owner),
        outsideWorkspace: review.file.outsideWorkspace,
        cliGone: review.owner.gone,
        traits,
        otherClis: [...new Set(others.map(other => names.nameOf(other.owner)))],
        openedAt: review.openedAt,
        version: review.version,
        ...(review.file.modifiedAt === undefined ? {} : { modifiedAt: review.file.modifiedAt })
    };
}

export interface StatusSubject {
    readonly window: CompanionWindow;
    /** The servers that the window serves now. */
    readonly served: readonly IdeServer[];
    readonly names: CliNames;
    /** As {@link CompanionStatus.strandedClis}. */
    readonly strandedClis: readonly string[];
    /** The problems that concern this window. */
    readonly problems: readonly CompanionProblem[];
    readonly clis: readonly StartableCli[];
}

/** Describes the companion's state to a page. */
export function companionStatus({ window, served, names, strandedClis, problems, clis }: StatusSubject): CompanionStatus {
    const connected = served.flatMap(server => server.sessions.all()).filter(session => !session.gone);
    const processes = new Map(connected.map(session => [processKey(session), session]));
    const connections = [...processes.values()].map((session): CliConnection => {
        const folder = session.peer?.folder;
        return { cliId: session.cliId, displayName: names.nameOf(session), ...(folder === undefined ? {} : { folder }) };
    });
    return {
        state: window.server ? 'ready' : window.enabled ? 'failed' : 'disabled',
        problems: window.enabled ? [...problems] : [],
        ...(strandedClis.length > 0 ? { strandedClis: [...strandedClis] } : {}),
        clis: [...clis],
        connections
    };
}

/** Names for people that tell two processes of the same CLI apart: "Qwen Code", "Qwen Code 2". */
export class CliNames {
    protected readonly processes = new Map<string, string[]>();

    /** @param displayName a CLI's name, by its id */
    constructor(protected readonly displayName: (cliId: string) => string) {}

    nameOf(owner: ReviewOwner): string {
        const seen = this.processes.get(owner.cliId) ?? [];
        const key = processKey(owner);
        if (!seen.includes(key)) {
            const free = seen.indexOf('');
            seen.splice(free < 0 ? seen.length : free, free < 0 ? 0 : 1, key);
            this.processes.set(owner.cliId, seen);
        }
        const place = seen.indexOf(key);
        const name = this.displayName(owner.cliId);
        return place === 0 ? name : `${name} ${place + 1}`;
    }

    /** Frees the numbers of processes that have no session any more. */
    keepOnly(owners: readonly ReviewOwner[]): void {
        const keys = new Set(owners.map(processKey));
        this.processes.forEach(seen => seen.forEach((key, index) => (seen[index] = keys.has(key) ? key : '')));
    }
}

/** After `/ide enable` a CLI has two sessions; it is still one. */
export function processKey(owner: ReviewOwner): string {
    return owner.peer ? `${owner.peer.pid}/${owner.peer.startTime}` : owner.id;
}
