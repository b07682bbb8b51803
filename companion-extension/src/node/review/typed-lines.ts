// SPDX-License-Identifier: Apache-2.0

/** The lines by which a user's text differs from the proposal. White space does not count: hooks format what a CLI has written. */
export class TypedLines {
    /** How often the text has the lines that the user added, and those that the user took out or took some of. */
    protected readonly added = new Map<string, number>();
    protected readonly taken = new Map<string, number>();

    constructor(
        protected readonly proposal: string,
        text: string
    ) {
        const [proposed, typed] = [countLines(proposal), countLines(text)];
        for (const line of new Set([...proposed.keys(), ...typed.keys()])) {
            const [before, now] = [proposed.get(line) ?? 0, typed.get(line) ?? 0];
            if (before !== now) {
                (now > before ? this.added : this.taken).set(line, now);
            }
        }
    }

    /**
     * Whether a file has what the user did to the proposal.
     *
     * @param before the file's text before anybody could write it: what it had already proves nothing
     */
    areIn(file: string, before: string): boolean {
        const [then, now] = [countLines(before), countLines(file)];
        return (
            [...this.added].some(([line, count]) => (then.get(line) ?? 0) < count) &&
            [...this.added].every(([line, count]) => (now.get(line) ?? 0) >= count) &&
            [...this.taken].every(([line, count]) => (now.get(line) ?? 0) <= count)
        );
    }

    /** The CLI has written its own text. */
    isProposal(file: string): boolean {
        return spaceless(file) === spaceless(this.proposal);
    }
}

/** The text without white space. */
export function spaceless(text: string): string {
    return text.replace(/\s+/g, '');
}

function countLines(text: string): Map<string, number> {
    const counts = new Map<string, number>();
    for (const line of text.split(/[\r\n]+/).map(spaceless)) {
        if (line !== '') {
            counts.set(line, (counts.get(line) ?? 0) + 1);
        }
    }
    return counts;
}
