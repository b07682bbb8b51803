// SPDX-License-Identifier: Apache-2.0

import { linesOf, undoHunk } from '../../common/changes/line-hunks';
import { hashOf } from '../../node/changes/file-text';
import { ChangesJudge, isTyped, nameOf, namesIn, promise } from './changes-judge';
import { LineEdit, Notice, PATHS, Step } from './changes-steps';
import { hunkOf } from './changes-world';

/** Plays what users, agents and git do. */
export class ChangesStory extends ChangesJudge {
    /** Plays all steps, judges, and ends with Keep All or Undo All. */
    async play(end: 'keep' | 'undo'): Promise<void> {
        for (const step of this.told.steps) {
            await this.run(step);
            this.judgeBounds();
            if (!(await this.changes.hasUnseenGit)) {
                this.unseen.clear();
            }
        }
        await this.end(end);
    }

    // --- what happens

    protected async run(step: Step): Promise<void> {
        const { world } = this;
        switch (step.op) {
            case 'shell':
                await this.changes.startTracking();
                return this.writeSilently(step.paths, step.event, text => this.edit(text, 'z', step.edit));
            case 'sed':
                await this.changes.startTracking();
                return this.writeSilently(PATHS, step.event, text => `z${++this.count} sed\n${text}`);
            case 'format':
                return this.runFormat(step.path, step.event);
            case 'create':
                return this.runCreate(step);
            case 'delete':
                await this.changes.startTracking();
                return this.writeSilently([step.path], step.event, () => null);
            case 'rename':
                return this.runRename(step);
            case 'type':
                return this.runType(step.page, step.path, step.edit);
            case 'save':
                return this.runSave(step);
            case 'refresh':
                return this.pages[step.page].refresh();
            case 'keep':
            case 'undo':
                if (step.fresh) {
                    await this.pages[step.page].refresh();
                }
                return this[step.op](step.page, step.path, step.hunk);
            case 'keepAll':
            case 'undoAll':
                return this.answerAll(step.page, step.op === 'keepAll' ? 'keep' : 'undo');
            case 'arrow':
                return this.runArrow(step.page, step.path, step.hunk);
            case 'ctrlZ':
                return this.runUndoOfUndo();
            case 'deliver':
                return this.deliver(1);
            case 'commit':
                if (this.hasGit) {
                    world.git.head = world.git.add(world.files);
                    world.git.reflog.push('commit');
                    await this.forgiveUnseen();
                }
                return;
            case 'checkout':
                if (this.hasGit && world.git.dirty.length === 0) {
                    world.git.head = step.tree % world.git.trees.length;
                    await this.moveByGit(world.git.trees[world.git.head], 'checkout');
                }
                return;
            case 'stash':
                if (this.hasGit) {
                    world.git.stashes.push(new Map(world.files));
                    world.git.add(world.files);
                    await this.moveByGit(world.git.trees[world.git.head], 'stash');
                }
                return;
            case 'pop': {
                const stash = world.git.stashes.pop();
                if (stash && world.git.dirty.length === 0) {
                    await this.moveByGit(stash, 'stash');
                }
                return;
            }
            case 'restore':
                return this.hasGit && this.changes.tracking ? this.writeOutside(step.path, world.git.blob(step.path), 'late') : undefined;
            case 'reset':
                return this.hasGit ? this.moveByGit(world.git.trees[world.git.head], 'reset') : undefined;
            case 'restart':
                return world.restart();
            case 'stop':
                // Ten seconds after the last agent has ended.
                await this.deliver();
                return this.changes.stopTracking();
            case 'start':
                return this.changes.startTracking();
        }
    }

    protected async runFormat(path: string, event: Notice): Promise<void> {
        await this.changes.startTracking();
        const text = this.world.textOf(path);
        if (text !== null && !this.changes.get(path)) {
            linesOf(text)
                .filter(line => !this.indents[path].has(nameOf(line)))
                .forEach(line => this.indents[path].set(nameOf(line), line));
        }
        await this.writeSilently([path], event, old =>
            linesOf(old)
                .map(line => ` ${line}`)
                .join('')
        );
    }

    protected async runCreate({ path, event, big }: Extract<Step, { op: 'create' }>): Promise<void> {
        await this.changes.startTracking();
        if (this.world.textOf(path) !== null) {
            return;
        }
        this.hasBig ||= big;
        const text = Array.from({ length: big ? 90 : 4 }, () => `z${++this.count} new\n`).join('');
        this.markSilent(path);
        await this.writeOutside(path, text, event);
    }

    protected async runRename({ path, to, event }: Extract<Step, { op: 'rename' }>): Promise<void> {
        await this.changes.startTracking();
        const text = this.world.textOf(path);
        if (text === null || this.world.textOf(to) !== null) {
            return;
        }
        this.markSilent(path);
        this.markSilent(to);
        namesIn(text).forEach(name => this.carried.add(name));
        await this.writeOutside(path, null, event);
        await this.writeOutside(to, text, event);
    }

    protected runType(page: number, path: string, edit: LineEdit): void {
        const model = this.pages[page].open(path);
        this.pages[page].sync(path);
        if (model.text !== null) {
            model.text = this.edit(model.text, 'p', edit);
        }
    }

    protected async runSave({ page, path, over, format }: Extract<Step, { op: 'save' }>): Promise<void> {
        const model = this.pages[page].open(path);
        if (!this.pages[page].isDirty(path)) {
            return;
        }
        const { text } = model;
        const disk = this.world.textOf(path);
        if (format) {
            model.text = linesOf(text)
                .map(line => (line.startsWith(' ') ? line.trimStart() : `  ${line}`))
                .join('');
        }
        if (!(await this.pages[page].save(path, over))) {
            model.text = text;
            return;
        }
        this.markSaved(path, disk);
        if (format) {
            this.indents[path].clear();
        }
    }

    protected async answerAll(page: number, answer: 'keep' | 'undo'): Promise<void> {
        await this.pages[page].refresh();
        for (const path of [...this.pages[page].shown.keys()]) {
            await this[answer](page, path, undefined);
        }
    }

    protected async keep(page: number, path: string, index: number | undefined): Promise<void> {
        const shown = this.pages[page].shown.get(path);
        if (!(await this.pages[page].keep(path, index)) || !shown) {
            return;
        }
        this.indents[path].clear();
        const hunk = hunkOf(shown, index);
        if (hunk) {
            namesIn(linesOf(shown.disk).slice(hunk.diskStart, hunk.diskEnd).join('')).forEach(name => this.added[path].delete(name));
            namesIn(linesOf(shown.row.base).slice(hunk.baseStart, hunk.baseEnd).join('')).forEach(name => this.removed[path].delete(name));
            return;
        }
        const [disk, base] = [new Set(namesIn(shown.disk)), namesIn(shown.row.base)];
        disk.forEach(name => this.added[path].delete(name));
        [...this.removed[path]]
            .filter(name => (shown.row.base === undefined || base.includes(name)) && !disk.has(name))
            .forEach(name => this.removed[path].delete(name));
    }

    protected async undo(page: number, path: string, index: number | undefined): Promise<void> {
        const { world } = this;
        const shown = this.pages[page].shown.get(path);
        const before = world.textOf(path);
        const typed = this.pages[page].isDirty(path) ? namesIn(this.pages[page].open(path).text) : [];
        const result = await this.pages[page].undo(path, index);
        const after = result === 'unsaved' ? this.pages[page].open(path).text : world.textOf(path);
        if (result === 'refused' || !shown) {
            promise(after === before, 'a refused undo changed the file');
            return;
        }
        const chosen = hunkOf(shown, index);
        const hunks = chosen ? [chosen] : shown.hunks;
        const may = new Set(hunks.flatMap(hunk => namesIn(linesOf(shown.disk).slice(hunk.diskStart, hunk.diskEnd).join(''))));
        const left = new Set(namesIn(after));
        for (const name of (result === 'unsaved' ? typed : namesIn(before)).filter(one => !left.has(one))) {
            promise(may.has(name) && (!isTyped(name) || this.carried.has(name)), `(a) undo took ${name} away`);
            const isKnown = this.added[path].has(name) || namesIn(shown.row.base).includes(name);
            promise(isKnown || this.mayBeUnknown(path) || this.together.has(path), `(a) undo took ${name} away, which was kept`);
        }
        if (result === 'undone' && after !== before) {
            // Unsaved, the editor has it.
            const hasCopy = this.changes.undone.some(copy => copy.path === path && copy.text === before);
            promise(hasCopy, '(c) no copy of what was undone');
        }
        this.indents[path].clear();
        if (result === 'undone') {
            this.lastUndo = { path, page, was: before, now: after };
            this.markSaved(path, before);
            may.forEach(name => this.gone[path].delete(name));
        }
    }

    protected async runArrow(page: number, path: string, index: number): Promise<void> {
        await this.pages[page].refresh();
        this.pages[page].sync(path);
        const shown = this.pages[page].shown.get(path);
        const disk = this.world.textOf(path);
        const hunk = shown && hunkOf(shown, index);
        if (!hunk || shown.row.base === undefined || disk === null || this.pages[page].isDirty(path)) {
            return;
        }
        this.pages[page].open(path).text = undoHunk(shown.row.base, disk, hunk);
        await this.pages[page].save(path);
        this.markSaved(path, disk);
        this.indents[path].clear();
        namesIn(linesOf(disk).slice(hunk.diskStart, hunk.diskEnd).join('')).forEach(name => this.gone[path].delete(name));
    }

    protected async runUndoOfUndo(): Promise<void> {
        const last = this.lastUndo;
        if (!last || this.world.textOf(last.path) !== last.now || this.pages[last.page].isDirty(last.path)) {
            return;
        }
        const { path, was } = last;
        const before = new Set(namesIn(last.now));
        const hadCopy = this.changes.undone.some(copy => copy.path === path && copy.text === was);
        this.pages[last.page].sync(path);
        this.pages[last.page].open(path).text = was;
        await this.pages[last.page].save(path);
        this.markSaved(path, last.now);
        [this.gone, this.indents].forEach(known => known[path].clear());
        const row = this.changes.get(path);
        if (hadCopy && this.changes.all.length < this.world.limits.rows) {
            promise(row || !this.changes.tracking, 'undo of an undo does not list it again');
        }
        if (hadCopy && row) {
            const back = new Set(namesIn(was));
            back.forEach(name => before.has(name) || this.added[path].add(name));
            before.forEach(name => back.has(name) || this.removed[path].add(name));
        }
        this.lastUndo = undefined;
    }

    /** Git puts other files there. What it does not have is lost, as by an agent. */
    protected async moveByGit(files: ReadonlyMap<string, string>, verb: string): Promise<void> {
        const { world, changes } = this;
        const old = new Map(PATHS.map(path => [path, world.textOf(path)]));
        world.git.reflog.push(verb);
        PATHS.forEach(path => {
            this.indents[path].clear();
        });
        for (const path of PATHS) {
            const [from, to] = [old.get(path) ?? null, files.get(path) ?? null];
            if (to === from) {
                continue;
            }
            namesIn(to).forEach(name => this.gone[path].delete(name));
            if (this.unseen.has(path) || (await changes.seenHash(path)) !== hashOf(from)) {
                this.markTogether(path, to);
            }
            if (world.git.hashes.has(hashOf(from)) && (to !== null || world.git.blob(path) === null)) {
                world.write(path, to);
                this.unseen.add(path);
                this.forgive(path);
                await this.tell(path, 'late');
                this.sync(path);
            } else {
                await this.writeOutside(path, to, 'late');
            }
        }
        await this.forgiveUnseen();
    }

    protected async end(all: 'keep' | 'undo'): Promise<void> {
        await this.settle();
        const { changes, world } = this;
        const isTooBig = (path: string): boolean => (world.textOf(path)?.length ?? 0) > world.limits.text;
        this.pages.forEach(page => page.models.clear());
        await this.pages[0].refresh();
        const bases = new Map(changes.all.map(({ path, base }) => [path, base]));
        for (const path of bases.keys()) {
            await this[all](0, path, undefined);
        }
        await changes.rescan();
        for (const [path, base] of all === 'undo' ? bases : []) {
            promise(base === undefined || isTooBig(path) || world.textOf(path) === base, `(b) ${path} is not its baseline`);
        }
        const isEmpty = changes.all.every(({ base, path }) => all === 'undo' && (base === undefined || isTooBig(path)));
        promise(isEmpty, `(b) the list is not empty after ${all} all`);
        this.judgeBounds();
    }
}
