// SPDX-License-Identifier: Apache-2.0

// Zod's older API: it loads in a fifth of the time and half of the memory of `zod/v4`, which comes with the first CLI.
import { z } from 'zod/v3';
import { CompanionLimits } from '../../common/companion-limits';
import { IdeContextLimits } from '../../common/ide-context';

const id = z.string().min(1).max(100);
const sequence = z.number().int().safe().nonnegative();
const text = z.string().max(CompanionLimits.reviewText);
const position = z.number().int().safe().positive();
const version = z.object({ writer: z.union([z.literal(''), id]), revision: sequence });

/** What a page may send; anything else is refused before it changes anything. */
export const PagePayloads = {
    id,
    sequence,
    paths: z.array(z.string().min(1).max(CompanionLimits.path)).max(CompanionLimits.paths),
    shell: position,
    shells: z.array(position).max(CompanionLimits.shells),
    offerAnswer: z.enum(['asked', 'dismissed']),
    /** Answers to the backend's calls. */
    showResult: z.union([
        z.object({ shown: z.literal(true) }),
        z.object({ shown: z.literal(false), reason: z.string().max(CompanionLimits.reason) })
    ]),
    shownText: z.object({
        text: text.optional(),
        version: version.optional(),
        unedited: z.literal(true).optional(),
        fileChanged: z.literal(true).optional()
    }),
    edit: z.object({
        revision: sequence,
        text: text.optional(),
        base: version
    }),
    window: z.object({
        windowId: id,
        loadId: id,
        roots: z.array(z.string().max(CompanionLimits.path)).max(CompanionLimits.roots),
        enabled: z.boolean(),
        focused: z.boolean(),
        reviewOpen: z.enum(['reveal', 'background', 'never'])
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
                                timestamp: z.number().finite().nonnegative(),
                                isActive: z.boolean().optional(),
                                cursor: z.object({ line: position, character: position }).optional(),
                                // In UTF-16 units, of which there are never more than bytes of UTF-8.
                                selectedText: z.string().max(IdeContextLimits.selectedText).optional()
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
