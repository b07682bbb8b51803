// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ApplicationShell, Widget } from '@theia/core/lib/browser';
import { CommandService } from '@theia/core/lib/common/command';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { URI } from '@theia/core/lib/common/uri';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { expect } from 'chai';
import { ReviewInfo } from '../../common/companion-protocol';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { editorWidget } from '../test/editor-widget';
import { FakeServices } from '../test/fake-services';
import { pageReview } from '../test/page-review';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { Notice } from '../diff/diff-overlay';
import { OriginalFile } from '../diff/original-file';
import { FileEncodings } from '../diff/file-encodings';
import { OwnReview, PageReview } from './page-review';
import { PageReviews } from './page-reviews';
import { BarButton, BarContent } from '../diff/diff-bar';
import { ReviewBars } from './review-bars';
import { ReviewEditors } from './review-editors';
import { ReviewNotices } from './review-notices';

/** What is above a diff. */
interface Above {
    /** What the right side is called. */
    readonly right: string;
    readonly notices: readonly Notice[];
    readonly bar: BarContent;
}

describe('What is above the diff of a review', () => {
    let bars: ReviewBars;
    let above: Above;
    let reviews: PageReview[];
    let review: OwnReview;
    let isRevertible: boolean;
    let executed: unknown[][];
    let changesNothing: boolean;
    let isDirty: boolean;
    let connected: boolean;
    let hasLeft: boolean;
    let widgets: Widget[];
    const onDidChange = new Emitter<PageReview>();
    const onDidCompare = new Emitter<string>();
    const onDidChangeCurrentWidget = new Emitter<void>();
    const onDidChangeState = new Emitter<void>();
    const onDidCreate = new Emitter<MonacoEditorModel>();

    beforeEach(() => {
        review = pageReview('a.txt', { modifiedAt: 1 });
        [reviews, executed, widgets] = [[review], [], []];
        review.left = { exists: true, text: '', modifiedAt: 1 };
        [isRevertible, changesNothing, isDirty] = [false, false, false];
        [connected, hasLeft] = [true, true];
        const services = new FakeServices();
        services.bindReal(ReviewNotices);
        services.bind(WorkspacePaths, { display: (path: string) => path.replace('/ws/', '') });
        services.bind(PageReviews, {
            onDidChange: onDidChange.event,
            get all() {
                return reviews;
            },
            get waiting() {
                return reviews.map(({ info }) => info);
            },
            get: (id: string) => reviews.find(one => one.id === id),
            isAtRisk: () => false,
            canTakeBack: () => !hasLeft,
            takeBack: (id: string) => executed.push(['take back', id])
        });
        services.bind(ReviewEditors, {
            onDidCompare: onDidCompare.event,
            modelOf: () => undefined,
            editorsOf: (id: string) => {
                const describe = (_: string, right: string, notices: readonly Notice[], bar: BarContent): void =>
                    void (above = { right, notices, bar });
                const setRevertible = (value: boolean): unknown => (isRevertible = value);
                return id === review.id ? [{ changesNothing, describe, setRevertible }] : [];
            }
        });
        services.bind(FileEncodings, { choose: async (file: URI) => void executed.push([file.toString()]) });
        services.bind(MonacoTextModelService, { onDidCreate: onDidCreate.event, models: [], get: () => ({ dirty: isDirty }) });
        services.bind(ApplicationShell, {
            onDidChangeCurrentWidget: onDidChangeCurrentWidget.event,
            get widgets() {
                return widgets;
            }
        });
        services.bind(CommandService, { executeCommand: async (...command: unknown[]) => void executed.push(command) });
        services.bind(CompanionConnection, {
            onDidChangeState: onDidChangeState.event,
            get connected() {
                return connected;
            },
            reloadNeeded: false,
            state: { status: { clis: [{ id: 'qwen-code', displayName: 'Qwen Code', command: 'qwen' }] } }
        });
        bars = services.create(ReviewBars);
        bars.onStart();
        onDidChange.fire(review);
    });

    afterEach(() => bars.onStop());

    const accept = (): BarButton => above.bar.answers[0];
    const reject = (): BarButton => above.bar.answers[1];

    function notices(): string[] {
        return above.notices.map(({ text }) => text);
    }

    function showLeft(file: Omit<OriginalFile, 'text'>): void {
        review.left = { ...file, text: '' };
        onDidChange.fire(review);
    }

    function change(changes: Partial<ReviewInfo>): void {
        review.info = { ...review.info!, ...changes };
        onDidChange.fire(review);
    }

    it('the bar names the file, whether it is new, and which proposal of how many it is', () => {
        expect(above.bar).to.deep.include({ path: 'a.txt', isNewFile: false, cliName: 'Qwen Code' });
        expect(above.bar.place).to.equal(undefined);
        reviews.push(pageReview('b.txt'));
        change({ modifiedAt: undefined });
        expect(above.bar.isNewFile).to.equal(true);
        expect(above.bar.place).to.equal('proposal 1 of 2');
    });

    it('the notices name who else has a proposal for the file', () => {
        expect(notices().join()).not.to.include('Another proposal');
        const other = pageReview('b.txt', { uri: review.info?.uri, cliName: 'Claude Code' });
        reviews.push(other);
        onDidChangeState.fire();
        expect(notices().join()).to.include('Another proposal for this file is waiting: Claude Code.');
        reviews.pop();
        onDidChangeState.fire();
        expect(notices().join()).not.to.include('Another proposal');
    });

    it('its buttons are the commands of the toolbar', () => {
        expect(above.bar.label).to.equal('Proposal of Qwen Code for a.txt');
        expect(above.bar.answers.map(({ command }) => command)).to.deep.equal([
            SHARED_COMMANDS.ACCEPT_REVIEW.id,
            SHARED_COMMANDS.REJECT_REVIEW.id,
            SHARED_COMMANDS.REJECT_WITH_REASON.id
        ]);
        expect(accept().explanation).to.include('undoes a single change');
    });

    it('an answer says at once that it waits for the connection, and can be taken back as long as it has not left the page', () => {
        review.answer = { kind: 'accept', shown: { revision: review.text.revision } };
        onDidChange.fire(review);
        expect([notices(), reject().refusal], 'while there is a connection').to.deep.equal([[], undefined]);
        [connected, hasLeft] = [false, false];
        onDidChangeState.fire();
        expect(notices()).to.deep.equal(['Accepted. Waiting for the connection.']);
        expect(accept().refusal).to.equal(notices()[0]);
        expect(reject().refusal).to.equal(notices()[0]);
        above.notices[0].actions?.[0].run();
        expect(executed).to.deep.equal([['take back', 'a.txt']]);
        hasLeft = true;
        onDidChangeState.fire();
        expect(notices()).to.deep.equal(['Accepted. It may have arrived, but is not confirmed yet.']);
        expect(above.notices[0].actions ?? []).to.deep.equal([]);
    });

    it('a notice says that the file has changed, was made, or is gone, as soon as that is read', () => {
        expect(notices()).to.deep.equal([]);
        showLeft({ exists: true, modifiedAt: 2 });
        expect(notices().join()).to.include('The file on disk has changed since Qwen Code made this proposal');
        showLeft({ exists: false });
        expect(notices().join()).to.include('The file is no longer on disk');
        showLeft({ exists: true, modifiedAt: 2 });
        change({ modifiedAt: undefined });
        expect(notices().join()).to.include('a file with this name has been created');
    });

    it('single changes can be taken back as long as the left side is exactly what is on disk', () => {
        expect(isRevertible).to.equal(true);
        showLeft({ exists: true, fault: { kind: 'unknownEncoding' } });
        expect(isRevertible, 'damaged text is no source').to.equal(false);
    });

    it('a notice says that the encoding is not known, or was chosen, and offers to choose it', () => {
        const all: Array<Omit<OriginalFile, 'text'>> = [
            { exists: true, modifiedAt: 1, fault: { kind: 'unknownEncoding' } },
            { exists: true, modifiedAt: 1, encoding: 'gbk', chosenEncoding: 'Chinese (GBK)' }
        ];
        const texts = all.map(file => {
            showLeft(file);
            const [action] = above.notices[0].actions ?? [];
            expect(action.label).to.equal('Choose Encoding…');
            action.run();
            return notices().join();
        });
        expect(texts[0]).to.include('The encoding of the file on disk is not known');
        expect(texts[1]).to.include('is read as Chinese (GBK)');
        expect(executed).to.deep.equal([['file:///ws/a.txt'], ['file:///ws/a.txt']]);
    });

    it('a read-only proposal promises no edit, to a screen reader neither', () => {
        change({ traits: { writesOwnText: true } });
        expect(accept().explanation).to.equal('Accept what is on the right.');
        expect(above.right).to.equal('Proposed by Qwen Code, read-only: a.txt');
    });

    it('a notice says that the file is outside the workspace', () => {
        change({ outsideWorkspace: true });
        expect(notices()).to.deep.equal(['This file is outside this workspace: /ws/a.txt']);
    });

    it('the bar says where a link leads', () => {
        change({ leadsTo: '/ws/real.txt' });
        expect(above.bar.leadsTo).to.equal('real.txt');
    });

    it('a notice says that the file is open with unsaved changes, until it is saved', () => {
        const onDirtyChanged = new Emitter<void>();
        const onWillDispose = new Emitter<void>();
        onDidCreate.fire({ uri: 'file:///ws/a.txt', onDirtyChanged: onDirtyChanged.event, onWillDispose: onWillDispose.event } as never);
        isDirty = true;
        onDirtyChanged.fire();
        expect(notices().join()).to.include('open with unsaved changes');
        isDirty = false;
        onDirtyChanged.fire();
        expect(notices()).to.deep.equal([]);
    });

    it('a notice says so of an editor without a text, too, such as a notebook', () => {
        const notebook = editorWidget(new URI('file:///ws/a.txt'), { document: { dirty: true, onDirtyChanged: Event.None } as never });
        widgets = [notebook];
        onDidChangeCurrentWidget.fire();
        expect(notices().join()).to.include('open with unsaved changes');
    });

    it('Accept says why it would do nothing if nothing is left of the proposal, once the texts are compared', () => {
        review.text.type({ text: 'one\n', length: 4, isEdited: true });
        review.text.dispose();
        changesNothing = true;
        onDidCompare.fire('a.txt');
        expect(accept().refusal).to.include('Nothing is left of the proposal');
        expect(bars.refusalOf(review)).to.equal(accept().refusal);
    });

    it('a CLI that has ended can be started from the notice', () => {
        change({ cliGone: true });
        expect(bars.refusalOf(review)).to.include('has stopped responding');
        const [action] = above.notices.flatMap(({ actions }) => actions ?? []);
        expect(action.label).to.equal('Run Qwen Code');
        action.run();
        expect(executed[0][0]).to.equal('companion.run.qwen-code');
    });

    it('a CLI that would not write to a changed file can be asked again', () => {
        showLeft({ exists: true, modifiedAt: 2 });
        change({ traits: { changedFile: 'refuses' } });
        const [action] = above.notices.flatMap(({ actions }) => actions ?? []);
        expect(action.label).to.equal('Ask Again');
        action.run();
        expect(executed).to.deep.equal([[SHARED_COMMANDS.ASK_AGAIN.id, review.info]]);
    });

    it('nothing is said above a review that no editor shows, or that has no description yet', () => {
        const before = above;
        onDidChange.fire(pageReview('hidden.txt'));
        onDidCompare.fire('unknown');
        expect(above).to.equal(before);
    });
});
