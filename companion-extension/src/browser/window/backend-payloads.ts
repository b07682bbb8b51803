// SPDX-License-Identifier: Apache-2.0

import {
    CliConnection,
    CliTerminal,
    CompanionProblem,
    CompanionStatus,
    DroppedEdit,
    IdeModeOffer,
    ReviewAnswer,
    ReviewContent,
    ReviewEditAnswer,
    ReviewInfo,
    StartableCli,
    TextVersion,
    WindowState
} from '../../common/companion-protocol';

const LATE_REASONS = ['accepted', 'rejected', 'closed', 'orphaned', 'moved', 'unknown'];

/**
 * What the backend may send to a page. A page that took anything else would fail somewhere in the middle: after an update of the
 * application an open page may still talk to another version's backend.
 */
export const BackendPayloads = {
    isId(value: unknown): value is string {
        return typeof value === 'string' && value.length > 0 && value.length <= 100;
    },

    isReview(value: unknown): value is ReviewInfo {
        const { id, path, uri, cliName, outsideWorkspace, cliGone, otherClis, traits, openedAt, modifiedAt, version } =
            fields<ReviewInfo>(value);
        const { writer, revision } = fields<TextVersion>(version);
        const areTraits =
            typeof traits === 'object' && traits !== null && Object.values(fields(traits)).every(trait => typeof trait === 'boolean');
        const areFlags = typeof outsideWorkspace === 'boolean' && typeof cliGone === 'boolean';
        const areTimes = isNumber(openedAt) && (modifiedAt === undefined || isNumber(modifiedAt));
        const isVersion = typeof writer === 'string' && isNumber(revision);
        const areNames = typeof cliName === 'string' && areTexts(otherClis);
        return BackendPayloads.isId(id) && isFile(path, uri) && areTraits && areFlags && areTimes && isVersion && areNames;
    },

    isState(value: unknown): value is WindowState {
        const { windowId, sequence, status, reviews, reviewsElsewhere, droppedEdits } = fields<WindowState>(value);
        const areReviews = isListOf(reviews, BackendPayloads.isReview) && isListOf(reviewsElsewhere, BackendPayloads.isReview);
        return (
            BackendPayloads.isId(windowId) && isNumber(sequence) && isStatus(status) && areReviews && isListOf(droppedEdits, isDroppedEdit)
        );
    },

    isContent(value: unknown): value is ReviewContent {
        const { review, text, edited } = fields<ReviewContent>(value);
        return BackendPayloads.isReview(review) && typeof text === 'string' && typeof edited === 'boolean';
    },

    isAnswer(value: unknown): value is ReviewAnswer {
        const { result, how } = fields<{ result: string; how: string }>(value);
        const isLate = result === 'late' && LATE_REASONS.includes(String(how));
        return isLate || result === 'done' || result === 'emptied';
    },

    isEditAnswer(value: unknown): value is ReviewEditAnswer {
        return ['done', 'late', 'full'].includes(String(fields<ReviewEditAnswer>(value).result));
    },

    areCliTerminals(value: unknown): value is CliTerminal[] {
        return isListOf(value, entry => {
            const { shell, displayName, folder } = fields<CliTerminal>(entry);
            return isNumber(shell) && typeof displayName === 'string' && (folder === undefined || typeof folder === 'string');
        });
    },

    areOffers(value: unknown): value is IdeModeOffer[] {
        return isListOf(value, isOffer);
    }
} as const;

function isDroppedEdit(value: unknown): boolean {
    const { id, path, uri, cliName, reason, droppedAt } = fields<DroppedEdit>(value);
    const isKnown = ['rejected', 'terminal', 'ended', 'replaced', 'refused', 'late'].includes(String(reason));
    return BackendPayloads.isId(id) && isFile(path, uri) && typeof cliName === 'string' && isKnown && isNumber(droppedAt);
}

function isFile(path: unknown, uri: unknown): boolean {
    return typeof path === 'string' && typeof uri === 'string' && uri.startsWith('file:');
}

function isStatus(value: unknown): boolean {
    const { state, problems, hints, clis, connections } = fields<CompanionStatus>(value);
    const areSentences = isListOf(problems, isProblem) && (hints === undefined || areTexts(hints));
    const areClis = isListOf(clis, isStartableCli) && isListOf(connections, isConnection);
    return ['ready', 'disabled', 'failed'].includes(String(state)) && areSentences && areClis;
}

function isProblem(value: unknown): boolean {
    const { text, command } = fields<CompanionProblem>(value);
    return typeof text === 'string' && (command === undefined || typeof command === 'string');
}

function isStartableCli(value: unknown): boolean {
    const { id, displayName, command } = fields<StartableCli>(value);
    return BackendPayloads.isId(id) && areTexts([displayName, command]);
}

function isConnection(value: unknown): boolean {
    const { cliId, displayName, folder } = fields<CliConnection>(value);
    return BackendPayloads.isId(cliId) && typeof displayName === 'string' && (folder === undefined || typeof folder === 'string');
}

function isOffer(value: unknown): boolean {
    const { cliId, displayName, path, change, answer } = fields<IdeModeOffer>(value);
    const isKnown = answer === undefined || answer === 'asked' || answer === 'dismissed';
    return BackendPayloads.isId(cliId) && isKnown && areTexts([displayName, path, change]);
}

function isNumber(value: unknown): boolean {
    return typeof value === 'number' && Number.isFinite(value);
}

function isListOf(value: unknown, isEntry: (entry: unknown) => boolean): boolean {
    return Array.isArray(value) && value.every(isEntry);
}

function fields<T>(value: unknown): { [K in keyof T]?: unknown } {
    return typeof value === 'object' && value !== null ? value : {};
}

function areTexts(value: unknown): boolean {
    return Array.isArray(value) && value.every(text => typeof text === 'string');
}
