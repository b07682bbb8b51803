// SPDX-License-Identifier: Apache-2.0

/** One function for both ends of the wire, since a page finds its own prompts again by their capped texts. */
export function cappedText(text: string, limit: number): string {
    return text.length > limit ? `${text.slice(0, limit)}…` : text;
}
