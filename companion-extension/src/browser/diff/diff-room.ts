// SPDX-License-Identifier: Apache-2.0

import { animationFrame, ApplicationShell, FrontendApplicationContribution } from '@theia/core/lib/browser';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { inject, injectable } from '@theia/core/shared/inversify';
import { DiffEditors } from './diff-editors';

/** So many lines a diff has at least, where the window is high enough. */
const LINES = 10;
/** In pixels: what stays of the panel has its tabs and a few lines of a terminal. */
const PANEL_HEIGHT = 120;

/** Makes the panel lower while it leaves a diff no room, as with a zoom of 200 %, and then as high as it was. */
@injectable()
export class DiffRoom implements FrontendApplicationContribution {
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(DiffEditors)
    protected readonly diffs: Pick<DiffEditors, 'all' | 'onDidChangeVisibility'>;

    /** The height that the panel had, and the one that it has got, once Theia has moved its edge. */
    protected moved: { readonly before: number; height?: number } | undefined;
    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        const update = (): void => void animationFrame().then(() => this.update());
        window.addEventListener('resize', update);
        this.toDispose.pushAll([
            this.diffs.onDidChangeVisibility(update),
            Disposable.create(() => window.removeEventListener('resize', update))
        ]);
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    protected update(): void {
        const { bottomPanel } = this.shell;
        const inMain = [...this.diffs.all].filter(({ widget }) => widget.isVisible && this.shell.getAreaFor(widget) === 'main');
        if (inMain.length === 0) {
            this.giveBack();
        } else if (!this.moved && bottomPanel.isVisible) {
            const before = this.panelHeight;
            const height = Math.max(PANEL_HEIGHT, before - Math.max(...inMain.map(editor => editor.heightMissingFor(LINES))));
            if (height < before) {
                this.lower(before, height);
            }
        }
    }

    protected lower(before: number, height: number): void {
        const moved: typeof this.moved = (this.moved = { before });
        this.shell.resize(height, 'bottom');
        // Theia makes it no lower than its tabs allow: 135 pixels with one row of them (1.74).
        void this.shell.pendingUpdates.then(() => (moved.height = this.panelHeight));
    }

    /** As `resize` counts it. */
    protected get panelHeight(): number {
        return this.shell.getLayoutData().bottomPanel?.size ?? 0;
    }

    /** Unless the user has moved the edge meanwhile. */
    protected giveBack(): void {
        const { moved } = this;
        this.moved = undefined;
        if (moved && (moved.height === undefined || Math.abs(this.panelHeight - moved.height) <= 1)) {
            this.shell.resize(moved.before, 'bottom');
        }
    }
}
