// SPDX-License-Identifier: Apache-2.0

import { z } from 'zod/v4';
import { isApprovalMode } from '../../common/approval-modes';

const context = z.object({
    state: z.object({
        models: z
            .object({
                currentModelId: z.string().optional(),
                availableModels: z.array(z.object({ modelId: z.string().max(500), name: z.string().max(500).optional() })).default([])
            })
            .optional(),
        modes: z
            .object({
                currentModeId: z.string().optional(),
                availableModes: z.array(z.object({ id: z.string().max(100), name: z.string().max(500).optional() })).default([])
            })
            .optional()
    })
});

/** What a session offers to choose from. */
export interface SessionContext {
    models: { id: string; name: string }[];
    currentModelId?: string;
    modes: { id: string; name: string }[];
    currentModeId?: string;
}

export namespace SessionContext {
    export const empty: SessionContext = { models: [], modes: [] };

    export function offersMode({ modes }: SessionContext, modeId: string): boolean {
        // If the daemon could not be asked: the modes that every daemon has.
        return modes.length > 0 ? modes.some(({ id }) => id === modeId) : isApprovalMode(modeId);
    }

    /** @param answer the body of the daemon's `context`; throws if it has another shape */
    export function parse(answer: unknown): SessionContext {
        const { models, modes } = context.parse(answer).state;
        return {
            models: (models?.availableModels ?? []).slice(0, 200).map(({ modelId, name }) => ({ id: modelId, name: name ?? modelId })),
            currentModelId: models?.currentModelId,
            modes: (modes?.availableModes ?? []).slice(0, 50).map(({ id, name }) => ({ id, name: name ?? id })),
            currentModeId: modes?.currentModeId
        };
    }
}
