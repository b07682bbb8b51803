// SPDX-License-Identifier: Apache-2.0

import { PreferenceScope } from '@theia/core/lib/common/preferences';
import { z } from 'zod/v4';
import { CompanionLimits } from './companion-limits';

const id = z.string().min(1).max(100);
const sequence = z.int().nonnegative();
const editText = z.string().max(CompanionLimits.editText);
const sentence = z.string().max(CompanionLimits.reason);
/** Pages make them, and they become names of files. */
const uuid = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const position = z.int().positive();
const place = z.object({ line: position, character: position });
const placeFromZero = z.object({ line: sequence, character: sequence });
const typedRevision = z.object({ page: uuid, n: position });
const proposalRevision = z.object({ page: z.literal(''), n: z.literal(0) });
/** One for each load of a page that could send nothing. */
const BASE_RANGES = 1_000;

const NAMED_AGENTS = 100;
const agentName = z.string().min(1).max(100);
const namedAgent = z.union([agentName, z.object({ command: agentName, name: agentName.optional() })]);

const window = z.object({
    /** Survives a reload of the page. */
    windowId: id,
    /** Differs with each load of the page. */
    loadId: id,
    /** URIs of the workspace's roots, in their order. */
    roots: z.array(z.string().max(CompanionLimits.uri)).max(CompanionLimits.roots),
    /** `companion.enabled` in this window. */
    enabled: z.boolean(),
    /** True if the page has the focus now. */
    focused: z.boolean(),
    /** `companion.review.open` in this window. With `never` sessions opened later are not offered the two tools. */
    reviewOpen: z.enum(['reveal', 'background', 'never']),
    preferences: z.object({
        // Theia passes on what the settings file contains. A wrong value there must not disable the companion.
        'companion.review.outsideWorkspace': z.enum(['notice', 'refuse']).catch('notice'),
        'companion.qwen.askBeforeEdits': z.boolean().catch(true),
        'companion.claude.askBeforeEdits': z.boolean().catch(true),
        'companion.container.loopback': z.enum(['auto', 'always', 'never']).catch('auto'),
        'companion.agentStatus': z.boolean().catch(true),
        'companion.agents': z
            .array(namedAgent.optional().catch(undefined))
            .max(NAMED_AGENTS)
            .catch([])
            .transform(all => all.filter(agent => agent !== undefined)),
        'companion.changes.track': z.enum(['agents', 'off']).catch('agents'),
        'companion.run.useLoginShell': z.boolean().catch(true)
    }),
    /** The values of `companion.context.exclude` in each scope, with the root whose own they are: whatever the settings files contain. */
    excludes: z
        .array(
            z.object({
                scope: z.literal(PreferenceScope.getScopes()),
                value: z.unknown(),
                root: z.string().max(CompanionLimits.uri).optional()
            })
        )
        .max(CompanionLimits.roots + PreferenceScope.getScopes().length)
});

const contextFile = z.object({
    /** Absolute path of a file that exists on disk. */
    path: z.string().max(CompanionLimits.path),
    /** When the file last had the focus, in milliseconds since the epoch. The active file's is the greatest. */
    timestamp: z.number().nonnegative(),
    /** Set on the active file only. */
    isActive: z.boolean().optional(),
    /** Set on the active file only; both numbers start at 1. */
    cursor: place.optional(),
    /** Set on the active file only. Bounded in UTF-16 units: never more than there are bytes in UTF-8. */
    selectedText: z.string().max(CompanionLimits.selectedText).optional(),
    /** The place of `selectedText`; all numbers start at 1. Not in the specification: only CLIs of another family get it. */
    selection: z.object({ start: place, end: place }).optional()
});

const context = z.object({
    workspaceState: z
        .object({
            /** The most recently focused first. */
            openFiles: z.array(contextFile).max(CompanionLimits.openFiles).optional(),
            /** Left out until the workspace's trust is known: a change makes the CLIs ask for a restart. */
            isTrusted: z.boolean().optional()
        })
        .optional()
});

const mention = z.object({
    /** Absolute real path. */
    path: z.string().min(1).max(CompanionLimits.path),
    /** Counted from 1; absent for the whole file. */
    lines: z.object({ first: position, last: position }).optional()
});

const showResult = z.union([z.object({ shown: z.literal(true) }), z.object({ shown: z.literal(false), reason: sentence })]);

const diagnostic = z.object({
    message: sentence,
    severity: z.enum(['Error', 'Warning', 'Info', 'Hint']),
    /** Counted from 0. */
    range: z.object({ start: placeFromZero, end: placeFromZero }),
    code: z.union([sentence, z.number()]).optional(),
    source: sentence.optional()
});

const fileDiagnostics = z.object({
    /** The path as it was asked for. */
    uri: z.string().max(3 * CompanionLimits.path),
    diagnostics: z.array(diagnostic).max(CompanionLimits.diagnostics)
});

/** As Theia calls it; absent if the page does not know it. */
const encoding = z.string().max(100).optional();

const shown = z.object({
    revision: z.union([typedRevision, proposalRevision]),
    /** Of the file on the left. */
    encoding,
    /** Absent if it is the proposal, or if the backend has it. */
    text: editText.optional()
});

/** A file as a page has read it. Without a time there was none. */
const seenFile = z.object({
    /** When it was written last, in milliseconds since the epoch. */
    modifiedAt: z.number().optional(),
    /** In bytes. */
    size: z.number().optional()
});

const save = z.object({
    /** A kept edit needs it if the backend no longer knows the review. */
    about: z.object({ reviewId: uuid, uri: z.string().max(CompanionLimits.uri), cliName: sentence }),
    revision: typedRevision,
    /** Absent if every edit was undone: then the proposal counts again, byte for byte. */
    text: editText.optional(),
    /** Of the file on the left. */
    encoding,
    /**
     * The text that it was typed on: the last one that the backend has confirmed, and those that may have left the page since. If the
     * backend has another text, that one becomes a kept edit.
     */
    base: z
        .array(z.object({ page: z.union([uuid, z.literal('')]), from: sequence, to: sequence }))
        .max(BASE_RANGES)
        .readonly(),
    /** How long before it was sent its last key was pressed, in milliseconds; absent if that is not known. */
    ago: z.number().nonnegative().optional(),
    /** It becomes a kept edit, also while the review waits: the user takes back a discard. */
    apart: z.literal(true).optional()
});

const lineHunk = z.object({ baseStart: sequence, baseEnd: sequence, diskStart: sequence, diskEnd: sequence });
/** Without a text there is no file. */
const afterUndo = z.object({ text: editText.optional() });

/**
 * The schemas of what a page may send: of hello and the context, which reach CLIs and shells, and of ids, texts and numbers. Anything else is
 * refused before it changes anything. The types of the protocol are inferred from it.
 */
export const PagePayloads = {
    id,
    sequence,
    flag: z.boolean(),
    shell: position,
    shells: z.array(position).max(CompanionLimits.shells),
    paths: z.array(z.string().min(1).max(CompanionLimits.path)).max(CompanionLimits.paths),
    window,
    context: z.object({ sequence, context }),
    mentions: z.array(mention).max(CompanionLimits.paths),
    shown,
    /** Also `null`, which JSON makes of an argument that is left out. */
    seenFile: seenFile.nullish(),
    uri: z.string().max(CompanionLimits.uri),
    save,
    /** Of one change; see `LineHunk`. */
    lines: lineHunk,
    optionalLines: lineHunk.nullish(),
    afterUndo,
    optionalAfterUndo: afterUndo.nullish(),
    uris: z.array(z.string().max(CompanionLimits.uri)).max(CompanionLimits.paths),
    /** Answers to the backend's calls. */
    showResult,
    diagnostics: z.array(fileDiagnostics).max(CompanionLimits.diagnosedFiles)
} as const;
