// SPDX-License-Identifier: Apache-2.0

import { z } from 'zod/v4';
import { CompanionLimits } from '../../common/companion-limits';
import { IdeContextLimits } from '../../common/ide-context';

const id = z.string().min(1).max(100);
const sequence = z.int().nonnegative();
const editText = z.string().max(CompanionLimits.editText);
/** Pages make them, and they become names of files. */
const uuid = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const position = z.int().positive();
const place = z.object({ line: position, character: position });
const placeFromZero = z.object({ line: sequence, character: sequence });
const typedRevision = z.object({ page: uuid, n: position });
const proposalRevision = z.object({ page: z.literal(''), n: z.literal(0) });
/** One for each load of a page that could send nothing. */
const BASE_RANGES = 1_000;

/** What a page may send; anything else is refused before it changes anything. */
export const PagePayloads = {
    id,
    sequence,
    paths: z.array(z.string().min(1).max(CompanionLimits.path)).max(CompanionLimits.paths),
    shell: position,
    mentions: z
        .array(
            z.object({
                path: z.string().min(1).max(CompanionLimits.path),
                lines: z.object({ first: position, last: position }).optional()
            })
        )
        .max(CompanionLimits.paths),
    shells: z.array(position).max(CompanionLimits.shells),
    flag: z.boolean(),
    /** Answers to the backend's calls. */
    showResult: z.union([
        z.object({ shown: z.literal(true) }),
        z.object({ shown: z.literal(false), reason: z.string().max(CompanionLimits.reason) })
    ]),
    diagnostics: z
        .array(
            z.object({
                uri: z.string().max(3 * CompanionLimits.path),
                diagnostics: z
                    .array(
                        z.object({
                            message: z.string().max(CompanionLimits.reason),
                            severity: z.enum(['Error', 'Warning', 'Info', 'Hint']),
                            range: z.object({ start: placeFromZero, end: placeFromZero }),
                            source: z.string().max(CompanionLimits.reason).optional()
                        })
                    )
                    .max(CompanionLimits.diagnostics)
            })
        )
        .max(CompanionLimits.diagnosedFiles),
    shown: z.object({ revision: z.union([typedRevision, proposalRevision]), text: editText.optional() }),
    save: z.object({
        about: z.object({
            reviewId: uuid,
            uri: z.string().max(CompanionLimits.uri),
            cliName: z.string().max(CompanionLimits.reason)
        }),
        revision: typedRevision,
        text: editText.optional(),
        base: z.array(z.object({ page: z.union([uuid, z.literal('')]), from: sequence, to: sequence })).max(BASE_RANGES),
        apart: z.literal(true).optional()
    }),
    window: z.object({
        windowId: id,
        loadId: id,
        roots: z.array(z.string().max(CompanionLimits.uri)).max(CompanionLimits.roots),
        enabled: z.boolean(),
        focused: z.boolean(),
        reviewOpen: z.enum(['reveal', 'background', 'never']),
        preferences: z.object({
            // Theia passes on what the settings file contains. A wrong value there must not disable the companion.
            'companion.review.outsideWorkspace': z.enum(['notice', 'refuse']).catch('notice'),
            'companion.qwen.askBeforeEdits': z.boolean().catch(true),
            'companion.claude.askBeforeEdits': z.boolean().catch(true),
            'companion.container.loopback': z.enum(['auto', 'always', 'never']).catch('auto')
        })
    }),
    context: z.object({
        sequence,
        context: z.object({
            workspaceState: z
                .object({
                    openFiles: z
                        .array(
                            z.object({
                                path: z.string().max(CompanionLimits.path),
                                timestamp: z.number().nonnegative(),
                                isActive: z.boolean().optional(),
                                cursor: place.optional(),
                                // In UTF-16 units: never more than there are bytes in UTF-8.
                                selectedText: z.string().max(IdeContextLimits.selectedText).optional(),
                                selection: z.object({ start: place, end: place }).optional()
                            })
                        )
                        .max(IdeContextLimits.openFiles)
                        .optional(),
                    isTrusted: z.boolean().optional()
                })
                .optional()
        })
    })
} as const;
