// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { Emitter } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { MonacoEditorProvider } from '@theia/monaco/lib/browser/monaco-editor-provider';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { TerminalWidgetImpl } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { expect } from 'chai';
import { releaseReviewEditors } from '../review/review-openers';
import { SyncedModels } from '../review/synced-models';
import { ReplayedQueries } from '../terminal/replayed-queries';
import { FakeServices } from '../test/fake-services';
import { TheiaInternals } from './theia-internals';

/** Each is taken away, as another version of Theia may do. The application goes on, without our patch and with a word in the log. */
describe('What is patched of Theia, where it is not there', () => {
    let services: FakeServices;
    let logged: string[];

    beforeEach(() => {
        logged = [];
        services = new FakeServices();
        services.bindNamed(ILogger, 'companion:TheiaInternals', { warn: (text: string) => void logged.push(text) });
        services.bindReal(TheiaInternals);
    });

    function expectLogged(name: string): void {
        expect(logged).to.deep.equal([`This Theia has no ${name}: what the companion works around there is left as it is`]);
    }

    it('the version of a model that counts as saved', () => {
        const onDidChangeContent = new Emitter<void>();
        const model = (uri: string, more: object): object => ({
            uri,
            dirty: false,
            onDidChangeContent: onDidChangeContent.event,
            textEditorModel: { getAlternativeVersionId: () => 7 },
            ...more
        });
        const [without, as1_74] = [model('file:///a', {}), model('file:///b', { bufferSavedVersionId: 1 })];
        services.bind(MonacoTextModelService, { models: [without, without, as1_74], onDidCreate: new Emitter<void>().event });
        services.create(SyncedModels).onStart();
        onDidChangeContent.fire();
        expect('bufferSavedVersionId' in without).to.equal(false);
        expect(as1_74).to.include({ bufferSavedVersionId: 7 });
        expectLogged('MonacoEditorModel.bufferSavedVersionId');
    });

    it('the maker of editors, which keeps each of them', () => {
        const theirs = Object.freeze({}) as MonacoEditorProvider;
        expect(releaseReviewEditors(theirs, services.get(TheiaInternals))).to.equal(theirs);
        expectLogged('MonacoEditorProvider.doCreateEditor');
    });

    it('the xterm.js of a terminal, which answers old questions', async () => {
        const start = async (id?: number): Promise<number> => id ?? 0;
        const theirs = { start, onDispose: () => undefined, onKey: () => undefined };
        services.create(ReplayedQueries).onCreate(theirs as unknown as TerminalWidgetImpl);
        expect(theirs.start).to.equal(start);
        expectLogged('TerminalWidgetImpl.getTerminal');
    });
});
