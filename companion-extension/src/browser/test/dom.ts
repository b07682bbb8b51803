// SPDX-License-Identifier: Apache-2.0

/** Makes Theia's page modules loadable in a unit test. Import it before them. */
import { registerHooks } from 'module';
import { FrontendApplicationConfigProvider } from '@theia/core/lib/browser/frontend-application-config-provider';
import { enableJSDOM } from '@theia/core/lib/browser/test/jsdom';

enableJSDOM();
// Lumino extends it when it is loaded, and jsdom (26) does not have it.
Object.assign(globalThis, { DragEvent: MouseEvent });
// xterm.js asks for it when it is loaded. jsdom says on the console that it has none.
HTMLCanvasElement.prototype.getContext = () => null;
// jsdom lays nothing out, and paints nothing.
class NoResizeObserver {
    observe(): void {}
    disconnect(): void {}
}
const requestAnimationFrame = (run: () => void): unknown => setTimeout(run);
Object.assign(globalThis, { ResizeObserver: NoResizeObserver, requestAnimationFrame });
Object.assign(window, { requestAnimationFrame });
FrontendApplicationConfigProvider.set({});
// Theia's modules and Monaco's import styles, which Node would read as JavaScript.
registerHooks({
    load: (url, context, next) => (url.endsWith('.css') ? { format: 'commonjs', source: '', shortCircuit: true } : next(url, context))
});
