// SPDX-License-Identifier: Apache-2.0

import { BrowserContext, Page } from '@playwright/test';
import { DiscoveryFiles } from './discovery-files';
import { writeFailureReport } from './failure-report';
import { IdeFixture, IdeOptions } from './ide-fixture';
import { IdePage } from './ide-page';
import { ScriptedModel } from './scripted-model';
import { TcpProxy } from './tcp-proxy';
import { ScreenSize, TestBrowser } from './test-browser';

export interface WorkbenchOptions extends IdeOptions {
    /** Starts a scripted model for the CLIs. */
    model?: boolean;
    /** Puts a proxy between the browser and the backend, for tests that cut their connection. */
    proxy?: boolean;
    /** Scripts that run in each page before Theia does. */
    pageScripts?: string[];
    /** Done to the tab before the IDE is loaded in it. */
    prepareTab?: (tab: Page) => Promise<unknown>;
    /** Of the browser's window; 1280 by 800 by default. */
    screen?: ScreenSize;
}

/** For a group of tests: a backend, a page in its own browser, and a scripted model if CLIs run. */
export class Workbench {
    private static readonly active = new Set<Workbench>();

    private constructor(
        readonly ide: IdeFixture,
        /** The page that the tests look at; a test that closes it puts another in its place. */
        public page: IdePage,
        private readonly context: BrowserContext,
        private readonly scriptedModel: ScriptedModel | undefined,
        private readonly tcpProxy: TcpProxy | undefined
    ) {}

    private readonly otherContexts: BrowserContext[] = [];

    static async start(options: WorkbenchOptions = {}): Promise<Workbench> {
        const model = options.model ? await ScriptedModel.start() : undefined;
        let ide: IdeFixture | undefined;
        let context: BrowserContext | undefined;
        let proxy: TcpProxy | undefined;
        try {
            // First, so that its port is the one that Chromium knows from other groups: see `takePort`.
            proxy = options.proxy ? await TcpProxy.start() : undefined;
            ide = await IdeFixture.start({ ...options, modelPort: model?.port });
            proxy?.restore(ide.url);
            context = await TestBrowser.newContext(options.screen);
            for (const content of options.pageScripts ?? []) {
                await context.addInitScript({ content });
            }
            const page = await IdePage.open(context, proxy?.url ?? ide.url, ide.workspace, options.prepareTab);
            const workbench = new Workbench(ide, page, context, model, proxy);
            this.active.add(workbench);
            return workbench;
        } catch (error) {
            await writeFailureReport('start', { ide, pages: context ? pagesOf(context) : [], model });
            await context?.close();
            await ide?.dispose();
            await model?.dispose();
            await proxy?.dispose();
            throw error;
        }
    }

    /** Those that are running, for a report. */
    static all(): Workbench[] {
        return [...this.active];
    }

    get discovery(): DiscoveryFiles {
        return new DiscoveryFiles(this.ide);
    }

    get model(): ScriptedModel {
        if (!this.scriptedModel) {
            throw new Error('This workbench was started without a model');
        }
        return this.scriptedModel;
    }

    get proxy(): TcpProxy {
        if (!this.tcpProxy) {
            throw new Error('This workbench was started without a proxy');
        }
        return this.tcpProxy;
    }

    /**
     * Another tab, in the same browser.
     *
     * @param prepare done to the tab before the IDE is loaded in it
     */
    async openPage(workspace = this.ide.workspace, prepare?: (tab: Page) => Promise<unknown>): Promise<IdePage> {
        return IdePage.open(this.context, this.tcpProxy?.url ?? this.ide.url, workspace, prepare);
    }

    /** A tab in another browser, as on another device: behind no proxy. */
    async openElsewhere(workspace = this.ide.workspace, url = this.ide.url): Promise<IdePage> {
        const context = await TestBrowser.newContext();
        this.otherContexts.push(context);
        return IdePage.open(context, url, workspace);
    }

    /** Does a step of the preparation; what can be seen is written down where it fails, since mocha's hooks for that come too late. */
    async prepare<T>(name: string, step: () => Promise<T>): Promise<T> {
        try {
            return await step();
        } catch (error) {
            await this.report(name);
            throw error;
        }
    }

    async report(name: string): Promise<void> {
        await writeFailureReport(name, {
            ide: this.ide,
            pages: [this.context, ...this.otherContexts].flatMap(pagesOf),
            model: this.scriptedModel
        });
    }

    async dispose(): Promise<void> {
        Workbench.active.delete(this);
        // The page is closed first: it would log the loss of the backend.
        await Promise.all([this.context, ...this.otherContexts].map(context => context.close()));
        await this.tcpProxy?.dispose();
        await this.ide.dispose();
        await this.scriptedModel?.dispose();
    }
}

/** Without the empty one that a browser starts with. */
function pagesOf(context: BrowserContext): Page[] {
    return context.pages().filter(page => page.url() !== 'about:blank');
}
