// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { ContextKey, ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { SecondaryWindowHandler } from '@theia/core/lib/browser/secondary-window-handler';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { inject, injectable } from '@theia/core/shared/inversify';
import { AnswerGuard } from './answer-guard';

/** True while the key that is pressed comes with AltGr, which types: it is not Ctrl+Alt. */
export const ALT_GRAPH_KEY = 'companionAltGraph';

/** Asks the {@link AnswerGuard} about each key, before Theia (1.74) runs a command for every repetition of it. */
@injectable()
export class HeldKeys implements FrontendApplicationContribution {
    @inject(SecondaryWindowHandler)
    protected readonly secondaryWindows: SecondaryWindowHandler;
    @inject(AnswerGuard)
    protected readonly guard: AnswerGuard;
    @inject(ContextKeyService)
    protected readonly contextKeys: ContextKeyService;

    protected readonly toDispose = new DisposableCollection();
    protected altGraph: ContextKey<boolean>;

    onStart(): void {
        this.altGraph = this.contextKeys.createKey(ALT_GRAPH_KEY, false);
        this.watch(window);
        this.toDispose.push(this.secondaryWindows.onDidAddWidget(([, secondary]) => this.watch(secondary)));
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    /** At the window, because Theia's own listener is at the document. Adding a listener twice has no further effect. */
    protected watch(target: Window): void {
        target.addEventListener('keydown', this.keyDown, true);
        target.addEventListener('keyup', this.keyUp, true);
        target.addEventListener('pointerdown', this.pointerDown, true);
        this.toDispose.push(
            Disposable.create(() => {
                target.removeEventListener('keydown', this.keyDown, true);
                target.removeEventListener('keyup', this.keyUp, true);
                target.removeEventListener('pointerdown', this.pointerDown, true);
            })
        );
    }

    protected readonly pointerDown = (): void => this.guard.pressMouse();

    protected readonly keyUp = (): void => this.guard.releaseKey();

    protected readonly keyDown = (event: KeyboardEvent): void => {
        // Before the key bindings are asked. Windows reports AltGr as Ctrl+Alt.
        this.altGraph.set(event.getModifierState('AltGraph'));
        if (!this.guard.pressKey(event.code, event.repeat)) {
            event.preventDefault();
            event.stopPropagation();
        }
    };
}
