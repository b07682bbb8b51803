// SPDX-License-Identifier: Apache-2.0

import { DiffUris } from '@theia/core/lib/browser/diff-uris';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { URI } from '@theia/core/lib/common/uri';
import { StandaloneServices } from '@theia/monaco-editor-core/esm/vs/editor/standalone/browser/standaloneServices';
import { IOpenerService } from '@theia/monaco-editor-core/esm/vs/platform/opener/common/opener';
import { MonacoEditorProvider } from '@theia/monaco/lib/browser/monaco-editor-provider';
import { TheiaInternals } from '../window/theia-internals';

/** `doCreateEditor` is protected; it registers the link opener before its first await. */
interface EditorMaker {
    doCreateEditor(uri: URI, ...more: unknown[]): Promise<{ onDispose(listener: () => void): Disposable }>;
}

/**
 * Lets go of our diff editors when they are closed. Theia 1.74 tells Monaco with each editor how to open a link, and never takes that back.
 * The function holds the editor with both texts (`MonacoEditorProvider.doCreateEditor`). Every editor registers the same, so those that are
 * open lose nothing.
 */
export function releaseReviewEditors(provider: MonacoEditorProvider, internals: Pick<TheiaInternals, 'has'>): MonacoEditorProvider {
    if (!internals.has(provider, 'doCreateEditor', 'MonacoEditorProvider.doCreateEditor')) {
        return provider;
    }
    const maker = provider as unknown as EditorMaker;
    const create = maker.doCreateEditor.bind(provider);
    maker.doCreateEditor = async (uri, ...more) => {
        if (!isOurs(uri)) {
            return create(uri, ...more);
        }
        const openers = new DisposableCollection();
        try {
            const editor = await whileCollecting(openers, () => create(uri, ...more));
            editor.onDispose(() => openers.dispose());
            return editor;
        } catch (error) {
            openers.dispose();
            throw error;
        }
    };
    return provider;
}

/** Collects the openers that are registered before the function returns. */
function whileCollecting<T>(openers: DisposableCollection, run: () => T): T {
    const service = StandaloneServices.get(IOpenerService);
    const register = service.registerOpener;
    service.registerOpener = opener => {
        const registered = register.call(service, opener);
        openers.push(registered);
        return registered;
    };
    try {
        return run();
    } finally {
        service.registerOpener = register;
    }
}

function isOurs(uri: URI): boolean {
    return DiffUris.isDiffUri(uri) && DiffUris.decode(uri).some(({ scheme }) => scheme.startsWith('companion-'));
}
