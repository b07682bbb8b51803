// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { Resource } from '@theia/core/lib/common/resource';
import { Event } from '@theia/core/lib/common/event';
import { URI } from '@theia/core/lib/common/uri';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { expect } from 'chai';
import { FakeServices } from '../test/fake-services';
import { monacoModel, typeAtEnd } from '../test/monaco-model';
import { TheiaInternals } from '../window/theia-internals';
import { SyncedModels } from './synced-models';

describe('A file that changes on disk while an editor shows it', () => {
    let disk: string;
    let model: MonacoEditorModel;
    let synced: SyncedModels;

    beforeEach(async () => {
        disk = 'before\n';
        const resource: Resource = { uri: new URI('file:///ws/a.txt'), readContents: async () => disk, dispose: () => undefined };
        model = await monacoModel(MonacoEditorModel, resource);
        const services = new FakeServices();
        services.bind(MonacoTextModelService, { models: [model], onDidCreate: Event.None });
        services.bind(TheiaInternals, { has: () => true });
        synced = services.create(SyncedModels);
        synced.onStart();
    });

    afterEach(() => {
        synced.onStop();
        model.dispose();
    });

    it('is saved when it shows that text, and dirty once that is undone', async () => {
        disk = 'after\n';
        await model.sync();
        expect([model.getText(), model.dirty]).to.deep.equal(['after\n', false]);
        await model.textEditorModel.undo();
        expect([model.getText(), model.dirty]).to.deep.equal(['before\n', true]);
        await model.textEditorModel.redo();
        expect([model.getText(), model.dirty]).to.deep.equal(['after\n', false]);
    });

    it('is dirty as ever when the user types', () => {
        typeAtEnd(model, 'typed');
        expect(model.dirty).to.equal(true);
    });
});
