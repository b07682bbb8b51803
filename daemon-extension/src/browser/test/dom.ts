// SPDX-License-Identifier: Apache-2.0

/** Makes Theia's page modules loadable in a unit test. Import it before them. */
import { registerHooks } from 'module';
import { enableJSDOM } from '@theia/core/lib/browser/test/jsdom';
import * as DOMPurify from '@theia/core/shared/dompurify';

enableJSDOM();
// Lumino extends it when it is loaded, and jsdom (26) does not have it.
Object.assign(globalThis, { DragEvent: MouseEvent });
// It was made without a window, perhaps by another spec.
Object.assign(DOMPurify, DOMPurify(window));
// Theia's modules and Monaco's import styles, which Node would read as JavaScript.
registerHooks({
    load: (url, context, next) => (url.endsWith('.css') ? { format: 'commonjs', source: '', shortCircuit: true } : next(url, context))
});
