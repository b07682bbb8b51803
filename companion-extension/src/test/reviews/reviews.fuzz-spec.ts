// SPDX-License-Identifier: Apache-2.0

import * as fc from 'fast-check';
import { fuzzBounds } from '../../node/test/fuzz/fuzz-bounds';
import { ReviewRun } from './review-run';
import { EVENTS, parseSteps, printSteps, Step } from './review-steps';

const RUNS = 10_000;
/** They take half a minute where nothing else runs. */
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 240);

/** Each a sequence in which earlier rules lost something, or would. */
const EXAMPLES: Readonly<Record<string, string>> = {
    'a tab is closed with what was typed offline': 'open(0,0)+400 cut(0,0) edit(0,0)+400 reject(0,0)+1000 restore(0,0)',
    'the proposal is accepted on one device, and typed into on the other':
        'open(0,0)+700 cut(0,0) edit(1,0)+400 accept(0,0)+100 restore(0,0)',
    'both devices typed, one of them offline': 'open(0,0)+400 cut(0,0) edit(0,0) edit(1,0)+1000 restore(0,0)+400 accept(0,0)',
    'accepted, and not written': 'open(0,0)+400 edit(0,0)+1000 mute(0,0) accept(0,0)',
    'no in the terminal of Gemini CLI': 'open(1,0)+400 edit(0,0)+1000 terminalNo(1,0)',
    'asked again while an accept is under way': 'open(0,0)+400 edit(0,0)+1000 accept(0,0) open(0,0)+400',
    'a discarded edit comes again': 'double(0,0) open(0,0)+400 edit(0,0)+800 reject(0,0)+400 discard(0,0)',
    'typed offline, and the page is loaded again': 'open(0,0)+400 cut(0,0) edit(0,0)+400 reload(0,0)+800 restore(0,0)',
    'typed offline, and the tab is duplicated': 'open(0,0)+400 cut(0,0) edit(0,0)+400 duplicateTab(0,0)+800 restore(0,0)',
    'the backend is killed, and the page is loaded again': 'open(0,0)+400 edit(0,0)+1000 kill(0,0)+60 reload(0,0)+60 restore(0,0)',
    'the page answers closeDiff with its text, and never sends it': 'edit(3,0)+320 terminalNo(3,0) edit(0,0)+60',
    'the disk fails, two pages type, and the backend is killed': 'diskFails(0,0)+700 edit(0,0)+60 edit(1,0)+700 kill(0,0)+60',
    'typed on after accept, with the line down, before the accept arrives': 'edit(1,0)+320 cut(1,0)+320 accept(1,0)+60 edit(1,0)+700',
    'two pages type in turns':
        'open(0,0)+700 edit(0,0)+100 edit(1,0)+250 edit(0,0)+100 edit(1,0)+250 edit(0,0)+400 edit(1,0)+700 reject(1,0)+700',
    'a tab is duplicated while it types in one proposal and stores another':
        'open(0,0) open(0,3)+700 edit(0,1)+200 edit(0,0)+150 duplicateTab(0,0) edit(0,0)+700',
    'reloaded offline, typed on, reloaded again':
        'open(0,0)+700 edit(0,0)+400 cut(0,0) edit(0,0)+400 reload(0,0)+400 restore(0,0)+700 cut(0,0) edit(0,0)+400 reload(0,0)+700 edit(1,0)+700',
    'the line is so slow that a restored tab gets no text': 'open(0,0)+700 slow(0,0) reload(0,0)+700 pass31(0,0)',
    'no text in time while the line is down':
        'duplicateTab(0,0)+320 slow(2,0) edit(0,7)+700 edit(5,0)+700 open(0,0)+320 cut(2,0)+700 pass31(0,0)+700 pass31(0,0)+320',
    'a save overtakes the one that it continues':
        'open(0,0)+320 edit(3,0)+320 lossy(3,0)+320 closeTab(1,1)+700 edit(3,0)+60 reload(3,0)+700 edit(3,0) reject(3,0)+320',
    'a text is read for an editor, and another one is typed and confirmed before it comes':
        'edit(0,7)+60 open(0,0)+320 lossy(0,0)+60 edit(0,0)+60 accept(0,3)+60 edit(0,0)+60 double(0,0)+60 closeTab(0,0)+320 show(0,0)+700',
    'an editor that was given up gets its text late':
        'newTab(0,0)+320 diskSlow(0,0)+320 edit(2,0)+320 open(0,7)+700 lossy(5,0)+60 crash(2,0) undoAll(0,0)+60',
    'a text comes between the one that an editor got and the moment when it shows it':
        'open(0,0)+700 edit(1,0)+700 slowEditors(0,0) lossy(0,0) reload(0,0)+3000 lossy(0,0)+2200 edit(1,0)+400 cut(0,0) restore(0,0)+700 pass31(0,0)',
    'the backend is killed before it sees that the file was written': 'edit(0,0)+320 accept(0,0)+700 kill(0,0)+60',
    'a text that was typed on is discarded, and then its page is killed':
        'edit(3,0)+60 pass31(0,0) open(1,0)+60 edit(0,0)+320 discard(0,0)+320 crash(0,0)+320',
    'an answer is taken back offline, and another one is given':
        'open(0,0)+700 edit(0,0)+400 cut(0,0) accept(0,0)+60 takeBack(0,0)+60 edit(0,0)+400 restore(0,0)+700 reject(0,0)+700',
    'the file changes unseen while an accept waits for the line':
        'open(0,0)+700 edit(0,0)+400 cut(0,0)+60 accept(0,0)+60 personEdits(0,0)+60 restore(0,0)+700 accept(0,0)+1000',
    'the file does not answer, and the person accepts again':
        'open(0,0)+700 edit(0,0)+400 fileHangs(0,0) accept(0,0)+1500 accept(0,0)+1500 fileHangs(0,0)',
    'the text of an accept is needed, and the line is down: it is not taken back':
        'open(0,0)+320 edit(3,7)+60 double(3,0)+320 lossy(1,0)+320 open(3,3)+700 open(3,0)+60 edit(3,0)+60 accept(3,0) discard(0,0)+700 ' +
        'cut(0,0)+320 discard(0,0)+320 diskFails(0,0)+700 pass1(0,0)+320 edit(0,0)+320 cut(1,0)+700 cut(0,0)+700 takeBack(3,0)',
    'an accept does not count, its copy comes after a reject':
        'double(0,0)+700 fileHangs(0,0)+700 accept(0,0)+320 lossy(0,0)+700 fileHangs(0,0)+320 reject(0,0)+320',
    'what says that it waits comes after its answer':
        'failingEditors(1,0)+60 double(0,0)+700 duplicateTab(0,0)+60 open(1,0)+320 pass1(0,0)+320 edit(0,0) lossy(0,0)+320 cut(2,0)+60 ' +
        'accept(4,0)+320 reject(0,0) accept(0,0)+320 pass1(0,0)+320 cover(0,0)+320 pass1(0,0)+700 mute(0,0)+700 blindKey(0,0)+320',
    'an undo takes back what was typed on another device': 'open(0,0)+700 edit(1,0)+700 undo(0,0)+700 accept(0,0)+700',
    'both devices typed, and one takes back the text of the other': 'open(0,0)+700 edit(0,0) edit(1,0)+1000 undo(0,0)+700 undo(1,0)+700',
    'an undo is sent while the disk fails, and the backend is killed':
        'edit(0,0)+320 open(3,0)+60 diskFails(0,0)+320 edit(3,0)+700 undo(0,0)+320 kill(0,0)+60',
    'an undo takes back what was typed on another device, and its page is killed at once':
        'edit(0,0)+700 edit(0,0)+700 undo(1,0) crash(1,0)+60',
    'what was typed offline comes after what was typed later on another device':
        'open(0,0)+700 cut(0,0) edit(0,0)+1000 edit(1,0)+1000 restore(0,0)+700',
    'the same over a reload': 'open(0,0)+700 cut(0,0) edit(0,0)+1000 reload(0,0)+700 edit(1,0)+1000 restore(0,0)+700',
    'a question comes before the accept, and a colleague saves the file under it': 'open(0,0)+700 edit(0,0)+700 acceptLater(0,0)+700',
    'the file changes twice within one read of the left side':
        'open(0,0)+1500 personEdits(0,0)+320 personEdits(0,0)+320 blindKey(0,0)+320 blindKey(0,0)+700',
    'a copy is closed, and the first window goes on': 'open(0,0)+1500 edit(0,0)+700 pass31(0,0) copyClosed(0,0)+700 accept(0,0)+700',
    'a copy is closed, the news comes twice, and the other window wakes up meanwhile':
        'double(1,0) edit(0,3) copyClosed(0,7)+700 terminalYes(0,0)+700 edit(0,0)+320 edit(0,0)+700 edit(3,0)+60 rootsUnknown(0,0)+60',
    'a text is sent before the folders of its window are known': 'open(0,0)+700 edit(0,0)+320 rootsUnknown(0,0)+700 accept(0,0)+700',
    'two devices typed, the CLI closes the diff before the folders of one are known':
        'edit(3,0) edit(0,0)+320 rootsUnknown(0,0)+320 terminalNo(1,0)+700',
    'the CLI closes a diff before the folders of the window are known': 'edit(0,0) rootsUnknown(0,0)+60 terminalYes(0,0)+320',
    'a CLI gives its call up, and what was typed is kept': 'open(0,0)+700 edit(0,0)+60 cancelled(0,0)+700',
    'a person changes the file right after the CLI has written it, and nobody has looked':
        'fileHangs(0,0)+700 edit(1,7)+700 terminalYes(3,7)+700 personEdits(0,3)+700',
    'restart with an answer that nobody confirmed': 'diskFails(0,0)+60 edit(0,0)+60 reject(0,0)+320 kill(0,0)+700'
};

describe('Fuzz: reviews, texts and files', function () {
    this.timeout(2 * SECONDS * 1_000);

    for (const [title, example] of Object.entries(EXAMPLES)) {
        it(`loses nothing: ${title}`, () => new ReviewRun().run(parseSteps(example)));
    }

    it('N7: whatever happens, nothing that was typed is lost, one verdict leaves, and nothing discarded comes back', async () => {
        const kind = fc.oneof(
            ...Object.entries(EVENTS).map(([name, weight]) => ({ weight, arbitrary: fc.constant(name as Step['kind']) }))
        );
        const wait = fc.oneof(...[0, 0, 60, 60, 320, 320, 320, 320, 700, 700, 700].map(ms => fc.constant(ms)));
        const steps = fc
            .array(fc.record({ kind, a: fc.nat(5), b: fc.nat(7), wait }), { maxLength: 40, size: 'max' })
            .map(all => Object.assign(all, { toString: () => printSteps(all) }));
        await fc.assert(
            fc.asyncProperty(steps, all => new ReviewRun().run(all)),
            { ...fuzzBounds(), numRuns: Number(process.env.FUZZ_RUNS ?? RUNS), interruptAfterTimeLimit: SECONDS * 1_000 }
        );
    });
});
