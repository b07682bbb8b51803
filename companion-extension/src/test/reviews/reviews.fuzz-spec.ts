// SPDX-License-Identifier: Apache-2.0

import * as fc from 'fast-check';
import { restore, useFakeTimers } from 'sinon';
import { EventKind, EVENTS, ReviewWorld } from './review-world';
import { fuzzBounds, fuzzTimeout } from '../../node/test/fuzz/fuzz-bounds';

interface Step {
    readonly kind: EventKind;
    readonly a: number;
    readonly b: number;
    /** In milliseconds. */
    readonly wait: number;
}

/** Each a sequence in which a draft of these rules lost something, or would. `edit(0,1)+60`: event, page or CLI, choice, pause. */
const EXAMPLES: Readonly<Record<string, string>> = {
    'a tab is closed with what was typed offline (A1, H2)': 'open(0,0)+400 cut(0,0) type(0,0)+400 reject(0,0)+1000 restore(0,0)',
    'the proposal is accepted on one device, and typed into on the other (H3)':
        'open(0,0)+400 cut(0,0) type(1,0)+400 accept(0,0)+100 restore(0,0)',
    'both devices typed, one of them offline (A7)': 'open(0,0)+400 cut(0,0) type(0,0) type(1,0)+1000 restore(0,0)+400 accept(0,0)',
    'accepted, and not written (A5)': 'open(0,0)+400 type(0,0)+1000 mute(0,0) accept(0,0)',
    'no in the terminal of Gemini CLI (A6)': 'open(1,0)+400 type(0,0)+1000 terminalNo(1,0)',
    'asked again while an accept is under way (A2)': 'open(0,0)+400 type(0,0)+1000 accept(0,0) open(0,0)+400',
    'a discarded draft comes again (B8)': 'double(0,0) open(0,0)+400 type(0,0)+800 reject(0,0)+400 discard(0,0)',
    'typed offline, and the page is loaded again (H1, A3)': 'open(0,0)+400 cut(0,0) type(0,0)+400 reload(0,0)+800 restore(0,0)',
    'typed offline, and the tab is duplicated': 'open(0,0)+400 cut(0,0) type(0,0)+400 duplicate(1,0)+800 restore(0,0)',
    'the backend is killed, and the page is loaded again (A4)': 'open(0,0)+400 type(0,0)+1000 kill(0,0)+60 reload(0,0)+60 restore(0,0)'
};

describe('Fuzz: reviews, drafts and files', function () {
    this.timeout(2 * fuzzTimeout());
    afterEach(() => restore());

    async function run(steps: readonly Step[]): Promise<void> {
        const clock = useFakeTimers({ now: 1_000_000 });
        try {
            const world = new ReviewWorld(clock);
            for (const { kind, a, b, wait } of steps) {
                await world.apply(kind, a, b);
                await world.pass(wait);
            }
            await world.check();
            world.reviews.dispose();
        } finally {
            clock.restore();
        }
    }

    for (const [title, example] of Object.entries(EXAMPLES)) {
        it(`loses nothing: ${title}`, () => run(parse(example)));
    }

    it('N7: whatever happens, nothing that was typed is lost, one verdict leaves, and nothing discarded comes back', async () => {
        const kind = fc.oneof(...Object.entries(EVENTS).map(([name, weight]) => ({ weight, arbitrary: fc.constant(name as EventKind) })));
        const step = fc
            .record({ kind, a: fc.nat(1), b: fc.nat(7), wait: fc.constantFrom(0, 60, 350, 800) })
            .map((one): Step => ({ ...one, toString: () => `${one.kind}(${one.a},${one.b})+${one.wait}` }) as Step);
        await fc.assert(
            fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 30 }), steps => run(steps)),
            { ...fuzzBounds(), numRuns: Number(process.env.FUZZ_RUNS ?? 500) }
        );
    });
});

function parse(example: string): Step[] {
    return example.split(' ').map(step => {
        const [, kind, a, b, wait] = /^(\w+)\((\d),(\d)\)(?:\+(\d+))?$/.exec(step) ?? [];
        return { kind: kind as EventKind, a: Number(a), b: Number(b), wait: Number(wait ?? 0) };
    });
}
