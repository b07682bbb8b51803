// SPDX-License-Identifier: Apache-2.0

import { MIN_VISIBLE_MS } from '../../common/companion-limits';
import { seenFileOf } from '../../browser/diff/original-file';
import { ModelCli } from './review-world';
import { inEditor, ModelEditor } from './model-editors';
import { ModelTab } from './model-tab';
import { Step } from './review-steps';
import { Typed } from './run-records';
import { RunPromises } from './run-promises';

/** A page that is killed loses what was typed since: three pauses, and the time until the tab has it. */
const LONGEST_PAUSE_MS = 910;
/** How long a person looks at a question. */
const QUESTION_MS = 900;

/** One sequence of events. */
export class ReviewRun extends RunPromises {
    protected isOver = false;
    protected numbers = 0;

    async run(steps: readonly Step[]): Promise<void> {
        await this.start();
        for (const step of steps) {
            await this.take(step);
        }
        await this.finish();
    }

    async start(): Promise<void> {
        this.newTab();
        this.newTab();
        await this.world.clock.pass(1_000);
    }

    async take(step: Step): Promise<void> {
        await this.execute(step);
        this.check();
        await this.world.clock.pass(step.wait);
        this.check();
    }

    /** All lines are back, and some time passes. */
    async finish(): Promise<void> {
        const { world } = this;
        this.isOver = true;
        Object.assign(world.disk, { fails: false, slow: false });
        for (const { line, editors } of world.tabs) {
            Object.assign(line, { slow: false, double: false, lossy: false });
            Object.assign(editors, { slow: false, failing: false });
        }
        world.tabs.filter(({ line }) => !line.up).forEach(tab => tab.restore());
        await world.clock.pass(130_000);
        this.check();
        this.checkQuiet();
    }

    protected newTab(stored?: ReadonlyMap<string, string>): void {
        this.world.openTab((tab, reviewId, text) => {
            const isOlder = this.typed.all.some(
                one => one.page === tab().reviews && one.about.reviewId === reviewId && one.before === text
            );
            if (isOlder && text.startsWith('T') && !this.typed.isUndone(text)) {
                throw new Error(`(h) ${text} is shown again to who went on with it`);
            }
        }, stored);
    }

    protected async execute({ kind, a, b }: Step): Promise<void> {
        const { world } = this;
        const tab = world.tabs[a % world.tabs.length];
        const { line, editors } = tab;
        const cli = world.clis[a % 2];
        const path = b % 4 === 3 ? '/w/other' : '/w/file';
        const find = (): string | undefined =>
            pick(
                [...editors.shown.keys()].filter(id => this.asked.has(id)),
                b
            );
        if ((kind === 'edit' || kind === 'accept') && find() === undefined && line.up) {
            // So that runs are dense: most sequences would type into nothing.
            await this.execute({ kind: 'open', a, b, wait: 0 });
            await world.clock.pass(700);
        }
        const shown = find();
        const editor = shown === undefined ? undefined : editors.shown.get(shown);
        switch (kind) {
            case 'open':
                return this.open(cli, path);
            case 'edit':
            case 'undoAll':
                return editor && this.type(tab, editor, kind === 'undoAll');
            case 'undo':
                return editor && this.undo(tab, editor);
            case 'accept':
            case 'acceptLater':
            case 'reject':
            case 'blindKey':
                return editor && this.answer(tab, editor, kind);
            case 'closeTab':
                return editor && this.closeTab(tab, editor);
            case 'copyClosed':
                return this.closeCopy(b);
            case 'rootsUnknown':
                return world.backend.windows.forget(tab);
            case 'cancelled':
                cli.asks.delete(path);
                return void world.close(cli, path, false);
            case 'show':
                return tab.reviews.all.filter(({ view }) => view === 'closed').forEach(review => editors.open(review));
            case 'cover':
                if (editor) {
                    Object.assign(editor, { isVisible: !editor.isVisible, since: world.clock.now });
                    tab.reviews.lookAtAll();
                }
                return;
            case 'discard':
                return this.discard(tab, b);
            case 'terminalYes':
            case 'terminalNo':
                return this.answerInTerminal(cli, path, kind === 'terminalYes');
            case 'orphan':
                cli.asks.clear();
                return world.reviews.orphan(({ owner }) => owner === cli, 'ended');
            case 'takeBack':
                return this.takeBack(tab);
            case 'cut':
                return line.cut();
            case 'restore':
                return line.up ? undefined : tab.restore();
            case 'slow':
            case 'double':
            case 'lossy':
                line[kind] = !line[kind];
                return;
            case 'reload':
                // Where the browser stores nothing, the person heeds its question.
                return tab.reviews.leave() || !tab.storeFails ? tab.reload() : undefined;
            case 'crash':
                return this.crash(tab);
            case 'duplicateTab':
                return world.tabs.length < 4 ? this.newTab(tab.stored) : undefined;
            case 'newTab':
                return world.tabs.length < 4 ? this.newTab() : undefined;
            case 'leaveTab':
                return this.leaveTab(tab);
            case 'storeFails':
                tab.storeFails = tab.reviews.leave() ? !tab.storeFails : tab.storeFails;
                return;
            case 'tabClose':
                tab.onTabClose = tab.onTabClose === 'keep' ? 'reject' : 'keep';
                return;
            case 'slowEditors':
                editors.slow = !editors.slow;
                return;
            case 'failingEditors':
                this.failed.add(tab);
                editors.failing = !editors.failing;
                return;
            case 'mute':
                cli.isMute = !cli.isMute;
                return;
            case 'personEdits':
                return world.write(path, `F${++this.numbers}`);
            case 'formats':
                return world.write(path, `${world.files.get(path) ?? ''} `);
            case 'fileHangs':
                world.isHanging = !world.isHanging;
                return;
            case 'diskFails':
                world.disk.fails = !world.disk.fails;
                return;
            case 'diskSlow':
                world.disk.slow = !world.disk.slow;
                return;
            case 'kill':
                this.isKilled = true;
                return world.startBackend();
            case 'pass1':
                return world.clock.pass(1_000);
            case 'pass31':
                return world.clock.pass(31_000);
        }
    }

    protected open(cli: ModelCli, path: string): void {
        const proposal = `P${++this.numbers}\r`;
        this.asked.set(this.world.ask(cli, path, proposal), { path, proposal, cli });
    }

    protected type(tab: ModelTab, editor: ModelEditor, takesBack: boolean): void {
        const { about, text: before } = editor;
        const { reviewId } = about;
        const text = takesBack ? inEditor(this.asked.get(reviewId)?.proposal ?? '') : `T${++this.numbers};`;
        editor.steps.push({ text: before, isPaint: false });
        this.change(tab, editor, text, { before, isUndo: false });
    }

    protected undo(tab: ModelTab, editor: ModelEditor): void {
        const step = editor.steps.pop();
        if (step) {
            const how = this.typed.takeBack(tab.reviews, editor.about.reviewId, editor.text, step);
            this.change(tab, editor, step.text, how, step.isPaint);
        }
    }

    protected change(
        tab: ModelTab,
        editor: ModelEditor,
        text: string,
        how: Pick<Typed, 'before' | 'isUndo' | 'undoes'>,
        isPaint = false
    ): void {
        const { about } = editor;
        const { reviewId } = about;
        const takesBack = text === inEditor(this.asked.get(reviewId)?.proposal ?? '');
        editor.text = text;
        tab.reviews.type(reviewId, { text, length: text.length, isEdited: !takesBack }, isPaint);
        const n = tab.reviews.get(reviewId)?.text.revision.n ?? 0;
        this.typed.all.push({ ...how, text, about, at: this.world.clock.now, tab, page: tab.reviews, takesBack, n });
    }

    protected async answer(tab: ModelTab, editor: ModelEditor, kind: 'accept' | 'acceptLater' | 'reject' | 'blindKey'): Promise<void> {
        const { clock } = this.world;
        const { reviewId } = editor.about;
        if (kind !== 'blindKey') {
            await clock.pass(tab.takesKeys(reviewId) ? 0 : MIN_VISIBLE_MS + 20);
        }
        const review = tab.reviews.get(reviewId);
        if (!review || !tab.takesKeys(reviewId)) {
            return;
        }
        const { text, isVisible } = editor;
        const { now } = clock;
        const { reviews } = tab;
        const file = seenFileOf(editor.left.file);
        const since = Math.max(editor.since, editor.left.since, this.lastAnswer.get(tab) ?? -Infinity);
        const seen = reviews.takeSeen(review);
        if (kind === 'acceptLater') {
            // A question comes first. Under it a colleague saves the file.
            this.world.write(this.asked.get(reviewId)?.path ?? '', `F${++this.numbers}`);
            await clock.pass(QUESTION_MS);
        }
        if (reviews === tab.reviews && (kind === 'reject' ? reviews.reject(review) : reviews.accept(review, seen))) {
            tab.guard.recordAnswer();
            const isUnread = review.answer?.isUnread === true;
            this.answered.push({ tab, loadId: tab.loadId, reviewId, accepts: kind !== 'reject', text, ...(!isUnread && { file }) });
            if (!isVisible || now - since < MIN_VISIBLE_MS) {
                throw new Error(`(c) ${reviewId} was answered blindly`);
            }
            this.lastAnswer.set(tab, clock.now);
        }
    }

    /** An answer that has not left the page: it is as if the person had not given it. */
    protected takeBack(tab: ModelTab): void {
        const review = tab.reviews.all.find(one => tab.reviews.canTakeBack(one));
        if (review) {
            tab.reviews.takeBack(review.id);
            const last = this.answered.findLastIndex(({ loadId, reviewId }) => loadId === tab.loadId && reviewId === review.id);
            this.answered.splice(last, 1);
        }
    }

    protected closeTab(tab: ModelTab, { about: { reviewId } }: ModelEditor): void {
        if (tab.reviews.get(reviewId)?.isWaiting && tab.onTabClose === 'reject') {
            this.answered.push({ tab, loadId: tab.loadId, reviewId, accepts: false, text: '' });
        }
        this.closedByPerson.add(`${tab.loadId} ${reviewId}`);
        tab.editors.closeByPerson(reviewId);
    }

    /** A diff that another tab shows as well. */
    protected closeCopy(b: number): void {
        const { tabs } = this.world;
        const shown = tabs.flatMap(tab => [...tab.editors.shown.values()].map(editor => ({ tab, editor })));
        const copies = shown.filter(one =>
            shown.some(({ tab, editor }) => tab !== one.tab && editor.about.reviewId === one.editor.about.reviewId)
        );
        const copy = pick(copies, b);
        if (copy) {
            copy.tab.onTabClose = 'reject';
            this.closeTab(copy.tab, copy.editor);
        }
    }

    protected discard(tab: ModelTab, b: number): void {
        const edit = pick(tab.state?.keptEdits ?? [], b);
        if (edit) {
            this.discarded.add(this.keptTexts.get(edit.id) ?? '');
            tab.discard(edit.id);
        }
    }

    protected answerInTerminal(cli: ModelCli, path: string, yes: boolean): void {
        const reviewId = cli.asks.get(path);
        const asked = this.asked.get(reviewId ?? '');
        if (reviewId === undefined || !asked) {
            return;
        }
        cli.asks.delete(path);
        const isQwen = cli.cliId === 'qwen-code';
        if (isQwen && yes) {
            // It writes its own proposal, and then closes the diff.
            cli.write(path, asked.proposal);
        }
        const { length } = this.typed.all;
        // Of one page, over a good line, not even the last key is missing.
        const [only, ...others] = this.world.tabs.filter(({ reviews }) => {
            const { isUnsent = false, revision } = reviews.get(reviewId)?.text ?? {};
            return isUnsent && revision && this.world.reviews.find(reviewId)?.isKnown(revision) === false;
        }) as [ModelTab?, ...ModelTab[]];
        const isLast = this.typed.all.findLast(({ about }) => about.reviewId === reviewId)?.tab === only;
        const newest =
            only && others.length === 0 && isLast ? inEditor(only.reviews.get(reviewId)?.text.shown ?? asked.proposal) : undefined;
        const { connection } = only?.line ?? {};
        const isGood = (): boolean =>
            !this.isOver &&
            only !== undefined &&
            only.line.up &&
            // Before, its texts are kept beside the review.
            this.world.backend.windows.isKnown(only) &&
            !only.line.isLate &&
            !only.line.lossy &&
            only.line.connection === connection;
        const wasGood = isGood();
        this.closing.add(reviewId);
        void this.world.close(cli, path).then(text => {
            this.closing.delete(reviewId);
            if (text === undefined) {
                return;
            }
            const isTypedSince = this.typed.all.slice(length).some(one => one.text === text || one.takesBack);
            if (newest !== undefined && wasGood && isGood() && inEditor(text) !== newest && !isTypedSince) {
                this.problem = `(b) ${text} was told, and ${newest} was on the screen`;
            }
            if (text !== asked.proposal && !this.typed.all.some(one => one.about.reviewId === reviewId && one.text === text)) {
                this.problem = `(b) ${text} was told, and nobody saw it`;
            }
            if (yes && !isQwen) {
                cli.write(path, text);
            }
        });
    }

    /** The browser's process ends. */
    protected crash(tab: ModelTab): void {
        if (tab.storeFails && !tab.reviews.leave()) {
            return;
        }
        const { reviews } = tab;
        tab.line.cut();
        tab.line.up = true;
        tab.load();
        const isUnsealed = ({ about: { reviewId }, n }: Typed): boolean => {
            const { isUnsealed: isOpen = false, revision } = reviews.get(reviewId)?.text ?? {};
            return isOpen && revision?.n === n;
        };
        // What the person discarded was not lost with the page.
        const isLost = (one: Typed): boolean =>
            one.takesBack || one.isUndo ? isUnsealed(one) : !this.isSomewhere(one, true) && !this.discarded.has(one.text);
        // The last one first: whoever went on with a text that is lost has not continued it. What an undo brought back was gone on with before.
        for (const one of this.typed.all
            .filter(({ tab: of, at }) => of === tab && this.world.clock.now - at <= LONGEST_PAUSE_MS)
            .reverse()) {
            if (isLost(one) && (one.takesBack || one.isUndo || !this.typed.continued.has(one.text))) {
                this.typed.lost.add(one);
            }
        }
    }

    protected leaveTab(tab: ModelTab): void {
        const { world } = this;
        if (world.tabs.length > 1 && tab.reviews.leave()) {
            const isWaiting = (id: string): boolean => world.reviews.waiting().some(review => review.id === id);
            const isUnderWay = (id: string): boolean => tab.reviews.get(id)?.isAnswering === true;
            if (this.answered.some(one => one.loadId === tab.loadId && isWaiting(one.reviewId) && isUnderWay(one.reviewId))) {
                throw new Error('(a) an answer is lost with its tab');
            }
            tab.line.cut();
            tab.calls.dispose();
            world.tabs = world.tabs.filter(one => one !== tab);
        }
    }
}

function pick<T>(all: readonly T[], index: number): T | undefined {
    return all[index % all.length];
}
