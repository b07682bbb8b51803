// SPDX-License-Identifier: Apache-2.0

export type GrowthUnit = 'ms' | 'KB' | 'MB' | 'messages';

/** One figure at each size of what it is measured with. */
export interface Curve {
    /** What there is more and more of, such as `sessions`. */
    readonly input: string;
    readonly title: string;
    readonly unit: GrowthUnit;
    readonly points: Array<{ readonly size: number; readonly value: number }>;
}

/** Rounds that are not counted, and those that are. A curve needs fewer than a comparison of two runs. */
const WARM_UP = 1;
const ROUNDS = 7;

/** How figures grow with what they are measured with. */
export class Growth {
    readonly curves: Curve[] = [];

    constructor(readonly log: (line: string) => void) {}

    /** @param values the middle one counts */
    note(input: string, size: number, title: string, unit: GrowthUnit, values: readonly number[]): void {
        let curve = this.curves.find(candidate => candidate.input === input && candidate.title === title && candidate.unit === unit);
        if (!curve) {
            curve = { input, title, unit, points: [] };
            this.curves.push(curve);
        }
        const value = [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)];
        if (!Number.isFinite(value)) {
            throw new Error(`${title}: ${value} is no measurement`);
        }
        curve.points.push({ size, value });
        this.log(`${size} ${input}: ${title}: ${format(value)} ${unit}`);
    }

    /** Repeats a round often enough. @returns the results of the counted rounds, by key */
    static async rounds<Key extends string>(round: (number: number) => Promise<Record<Key, number>>): Promise<Record<Key, number[]>> {
        const values = {} as Record<Key, number[]>;
        for (let number = 0; number < WARM_UP + ROUNDS; number++) {
            const result = Object.entries<number>(await round(number)) as Array<[Key, number]>;
            if (number >= WARM_UP) {
                result.forEach(([key, value]) => (values[key] ??= []).push(value));
            }
        }
        return values;
    }

    /** One table for each input, as Markdown. */
    table(): string {
        return byInput(this.curves)
            .map(({ input, curves }) => {
                const sizes = [...new Set(curves.flatMap(({ points }) => points.map(({ size }) => size)))].sort((a, b) => a - b);
                const head = [input, ...sizes.map(String), ...(sizes.length > 1 ? [`${sizes[0]} → ${sizes.at(-1)}`] : [])];
                const lines = [head, head.map((_, column) => (column === 0 ? '---' : '--:'))];
                for (const { title, unit, points } of curves) {
                    const cells = sizes
                        .map(size => points.find(point => point.size === size))
                        .map(point => (point ? format(point.value) : ''));
                    const times = sizes.length > 1 ? [`${((points.at(-1)?.value ?? NaN) / points[0].value).toFixed(1)}x`] : [];
                    lines.push([`${title}${unit === 'ms' ? '' : `, ${unit}`}`, ...cells, ...times]);
                }
                return lines.map(cells => `| ${cells.join(' | ')} |`).join('\n');
            })
            .join('\n\n');
    }
}

/** The curves of each input, in the order in which they were noted. */
export function byInput(curves: readonly Curve[]): Array<{ input: string; curves: Curve[] }> {
    return [...new Set(curves.map(({ input }) => input))].map(input => ({ input, curves: curves.filter(curve => curve.input === input) }));
}

function format(value: number): string {
    return Math.abs(value) < 100 ? value.toFixed(1) : value.toFixed(0);
}
