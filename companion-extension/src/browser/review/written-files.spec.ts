// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ApplicationShell, BaseWidget, OpenerService, Widget } from '@theia/core/lib/browser';
import { CommandService } from '@theia/core/lib/common/command';
import { Emitter } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { URI } from '@theia/core/lib/common/uri';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { MonacoEditor } from '@theia/monaco/lib/browser/monaco-editor';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { CompanionPreferences } from '../../common/companion-preferences';
import { AcceptedProposal, ReviewInfo } from '../../common/companion-protocol';
import { ReviewBackend } from '../../common/review-protocol';
import { PROPOSAL } from '../../common/revision';
import { FakeServices } from '../test/fake-services';
import { pageReview } from '../test/page-review';
import { windowState } from '../test/status';
import { CompanionConnection } from '../window/companion-connection';
import { KeyboardHold } from '../window/keyboard-hold';
import { FileEncodings } from '../diff/file-encodings';
import { FileEditors } from '../diff/file-editors';
import { OwnReview, PageReview } from './page-review';
import { PageReviews } from './page-reviews';
import { ReviewEditors } from './review-editors';
import { ReviewFocus } from './review-focus';
import { ReviewMessages } from './review-messages';
import { WrittenFiles } from './written-files';

interface Mark {
    readonly range: { readonly startLineNumber: number; readonly endLineNumber: number };
    readonly options: { readonly className?: string };
}

describe('Files that a CLI has written after an accept', () => {
    let written: WrittenFiles;
    let clock: sinon.SinonFakeTimers;
    let review: OwnReview;
    /** What the backend says, and the texts that it keeps. */
    let accepted: AcceptedProposal[];
    let texts: { before: string; after: string };
    /** The text in the file's editor. */
    let editorText: string;
    let preference: string;
    let waiting: ReviewInfo[];
    let isTyping: boolean;
    let isCovered: boolean;
    let isDirty: boolean;
    /** Widgets other than text editors that show files, and what opens one. */
    let viewers: Widget[];
    let opened: Widget | undefined;
    let inFront: string;
    let revealed: string[];
    let marks: Mark[];
    let notWritten: string[];
    let asked: unknown[];
    const onDidChange = new Emitter<PageReview>();
    const onDidChangeState = new Emitter<void>();
    const onDidType = new Emitter<void>();

    beforeEach(() => {
        clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
        review = pageReview('a.txt', { modifiedAt: 1 });
        review.view = 'open';
        [accepted, texts] = [[], { before: 'one\ntwo\n', after: '' }];
        [editorText, preference, inFront] = ['one\ntwo\n', 'show', 'the tab beside the diff'];
        [waiting, isTyping, isCovered, isDirty] = [[], false, false, false];
        [viewers, opened] = [[], undefined];
        [revealed, marks, notWritten, asked] = [[], [], [], []];
        const services = new FakeServices();
        services.bind(ReviewBackend, { readAccepted: async () => texts });
        services.bind(CompanionConnection, {
            onDidChangeState: onDidChangeState.event,
            get state() {
                return windowState({}, { accepted });
            },
            ask: (call: () => Promise<unknown>) => call()
        });
        services.bind(FileEncodings, { textOf: async (_: URI, raw: string) => raw });
        services.bind(ApplicationShell, {
            getCurrentWidget: () => inFront,
            get widgets() {
                return viewers;
            },
            revealWidget: async (id: string) => void revealed.push(id)
        });
        services.bind(OpenerService, { getOpener: async () => ({ open: async () => opened ?? fileEditor() }) });
        services.bind(FileEditors, { find: () => undefined });
        services.bind(MonacoTextModelService, { get: () => ({ dirty: isDirty }) });
        services.bind(PageReviews, {
            onDidChange: onDidChange.event,
            get here() {
                return waiting;
            }
        });
        services.bind(ReviewEditors, {
            editorsOf: () => [],
            place: () => ({}),
            get isCovered() {
                return isCovered;
            }
        });
        services.bind(KeyboardHold, { still: (_: URI, run: () => Promise<void>) => run() });
        services.bind(ReviewFocus, {
            get isTyping() {
                return isTyping;
            }
        });
        services.bind(ReviewMessages, {
            notWritten: ({ id }: ReviewInfo, _: string | undefined, askAgain: () => void) => {
                notWritten.push(id);
                askAgain();
            }
        });
        services.bind(CommandService, { executeCommand: async (...command: unknown[]) => void asked.push(command[0]) });
        services.bind(CompanionPreferences, {
            get 'companion.review.afterAccept'() {
                return preference;
            }
        });
        services.bindNamed(ILogger, 'companion:WrittenFiles', { warn: () => undefined });
        written = services.create(WrittenFiles);
        written.onStart();
    });

    afterEach(() => {
        written.onStop();
        clock.restore();
        document.body.replaceChildren();
    });

    function model(): MonacoEditorModel {
        return {
            uri: review.text.about.uri,
            textEditorModel: { getValue: () => editorText },
            sync: async () => undefined
        } as unknown as MonacoEditorModel;
    }

    function fileEditor(): object {
        const control = {
            getModel: () => ({}),
            setPosition: () => undefined,
            revealPositionInCenterIfOutsideViewport: () => undefined,
            createDecorationsCollection: (made: Mark[]) => {
                marks = made;
                return { clear: () => (marks = []) };
            },
            onDidChangeModelContent: onDidType.event
        };
        const editor: object = Object.assign(Object.create(MonacoEditor.prototype), { document: model(), getControl: () => control });
        return Object.create(EditorWidget.prototype, { id: { value: 'the file' }, editor: { value: editor } }) as object;
    }

    /** The user accepts, and the diff closes. */
    async function accept(proposal = 'proposed\n'): Promise<void> {
        review.text.load({ review: review.info!, proposal });
        review.answer = { kind: 'accept', shown: { revision: PROPOSAL } };
        onDidChange.fire(review);
        await clock.tickAsync(1);
        review.answer = { ...review.answer, result: { result: 'done' } };
        review.view = 'closed';
        onDidChange.fire(review);
        await clock.tickAsync(1);
    }

    /** The backend says what it has found. */
    async function write(text = 'proposed\n', more: Partial<AcceptedProposal> = {}): Promise<void> {
        texts = { ...texts, after: text };
        editorText = text;
        const {
            id,
            text: { about }
        } = review;
        const { judged = 0 } = accepted.find(proposal => proposal.id === id) ?? {};
        const proposal: AcceptedProposal = {
            ...{
                id,
                path: '/ws/a.txt',
                uri: about.uri,
                cliName: 'Qwen Code',
                verdict: 'written',
                judged: judged + 1,
                acceptedAt: 0,
                isHere: true
            },
            ...more
        };
        accepted = [proposal, ...accepted.filter(other => other.id !== id)];
        onDidChangeState.fire();
        await clock.tickAsync(1);
    }

    it('are shown, and again if a formatter follows', async () => {
        await accept();
        await write();
        expect(revealed).to.deep.equal(['the file']);
        await write('formatted\n', { verdict: 'formatted' });
        expect(revealed).to.deep.equal(['the file', 'the file']);
        onDidChangeState.fire();
        await clock.tickAsync(1);
        expect(revealed.length, 'nothing new').to.equal(2);
    });

    it('are shown once the diff has closed: the CLI may be quicker', async () => {
        review.text.load({ review: review.info!, proposal: 'proposed\n' });
        await write();
        expect(revealed).to.deep.equal([]);
        await accept();
        expect(revealed).to.deep.equal(['the file']);
    });

    it('are not shown if they were accepted in the terminal, or on another page', async () => {
        await accept();
        await write('proposed\n', { isHere: undefined });
        await write('proposed\n', { isHere: undefined, verdict: 'notWritten' });
        expect([revealed, notWritten]).to.deep.equal([[], []]);
    });

    it('are not shown if that would cover what the user needs, or by preference', async () => {
        const reasons = [
            () => (preference = 'stay'),
            () => (waiting = [pageReview('other').info!]),
            () => (isTyping = true),
            () => (isCovered = true),
            () => (isDirty = true),
            () => (inFront = 'something else')
        ];
        for (const [index, happen] of reasons.entries()) {
            review = pageReview(`${index}.txt`);
            [preference, waiting, isTyping, isCovered, isDirty] = ['show', [], false, false, false];
            await accept();
            happen();
            await write();
        }
        expect(revealed).to.deep.equal([]);
    });

    it('have their changed lines marked for a moment, and until somebody types', async () => {
        await accept('one\nTWO\nthree\n');
        await write('one\nTWO\nthree\n');
        expect(marks.map(({ range, options }) => [range.startLineNumber, range.endLineNumber, options.className])).to.deep.equal([
            [2, 3, 'companion-written']
        ]);
        onDidType.fire();
        expect(marks).to.deep.equal([]);
    });

    it('have marks of changed lines alone, whatever ends the lines of the file', async () => {
        texts.before = 'one\rtwo\r';
        await accept('one\nTWO\n');
        await write('one\nTWO\n');
        expect(marks.map(({ range }) => [range.startLineNumber, range.endLineNumber])).to.deep.equal([[2, 2]]);
    });

    it('are shown by what opens them in this product', async () => {
        opened = Object.assign(new BaseWidget(), { id: 'a notebook' });
        await accept();
        await write();
        expect(revealed).to.deep.equal(['a notebook']);
        expect(marks).to.deep.equal([]);
    });

    it('bring what shows them up to date, whatever it is, unless it has unsaved changes', async () => {
        let reverted = 0;
        const saveable = { dirty: false, revert: async () => void reverted++, onDirtyChanged: undefined, onContentChanged: undefined };
        const viewer = Object.assign(new BaseWidget(), {
            id: 'a notebook',
            saveable,
            getResourceUri: () => new URI(review.text.about.uri)
        });
        viewers = [Object.assign(viewer, { createMoveToUri: () => undefined })];
        await accept();
        await write();
        expect([revealed, reverted]).to.deep.equal([['a notebook'], 1]);
        saveable.dirty = true;
        review = pageReview('again', { uri: review.info!.uri, path: '/ws/a.txt' });
        await accept('again\n');
        await write('again\n');
        expect([revealed.length, reverted]).to.deep.equal([1, 1]);
    });

    it('have a mark where lines are gone', async () => {
        await accept('one\n');
        await write('one\n');
        expect(marks.map(({ range, options }) => [range.startLineNumber, options.className])).to.deep.equal([[1, 'companion-removed']]);
        await clock.tickAsync(6_000);
        expect(marks).to.deep.equal([]);
    });

    it('that are not written are reported once, and the CLI can be asked again; edits say so by themselves', async () => {
        await accept();
        await write('', { verdict: 'notWritten' });
        onDidChangeState.fire();
        expect(notWritten).to.deep.equal(['a.txt']);
        expect(asked).to.deep.equal(['companion.review.askAgain']);
        review = pageReview('b.txt');
        await accept();
        await write('', { verdict: 'notWritten', isEdited: true });
        await write('', { verdict: 'unknown' });
        expect(notWritten).to.deep.equal(['a.txt']);
        await write('late\n');
        expect(revealed).to.deep.equal(['the file']);
    });
});
