// SPDX-License-Identifier: Apache-2.0

import { existsSync, promises as fs } from 'fs';
import * as path from 'path';
import { Pod, secondsToEnd } from './pod';
import {
    FIRST_PROCESS,
    homeBelowTmp,
    IMAGE,
    IMAGE_ROOT,
    markedBy,
    OPENSHIFT_USER,
    POD,
    READ_ONLY_ROOT,
    VOLUME_GROUP,
    WITHOUT_PS
} from './isolation';
import { ForwardProxy } from '../../../e2e/lib/support/forward-proxy';
import { listeningAddresses, PathProxy } from './networks';
import { delay, eventually } from '../../../e2e/lib/support/eventually';
import { IdeFixture } from '../../../e2e/lib/support/ide-fixture';
import { WorkbenchOptions } from '../../../e2e/lib/support/workbench';

export interface Condition {
    /** On the command line. */
    readonly name: string;
    /** In the table. */
    readonly text: string;
    /** See {@link Pod.start}. */
    readonly script?: string;
    readonly options?: WorkbenchOptions;
    /** Why it cannot be tried here. */
    readonly skip?: () => string | undefined;
    /** What is done; both CLIs connect and have an edit reviewed where it is left out. @returns a remark */
    readonly run?: (pod: Pod) => Promise<string | void>;
    /** How the backend is started where its options are known only then. Ends with the pod. */
    readonly prepare?: () => Promise<{ options: WorkbenchOptions; check?: (pod: Pod) => Promise<string>; dispose: () => void }>;
}

/** In milliseconds: as many platforms' proxies do. */
const IDLE_TIMEOUT = 60_000;

export const CONDITIONS: readonly Condition[] = [
    { name: 'plain', text: 'none of those below, for comparison' },
    { name: 'image', text: 'the image of `browser-app/Dockerfile`, built by `npm run image-check`', script: IMAGE, ...image() },
    { name: 'pid-1', text: 'the backend is process 1', script: FIRST_PROCESS },
    {
        name: 'openshift-user',
        text: 'user 1000770000, group 0, no capabilities; `/tmp` open to all and not sticky',
        script: OPENSHIFT_USER
    },
    { name: 'read-only-root', text: 'the root file system is read-only', script: READ_ONLY_ROOT },
    { name: 'without-ps', text: 'no `ps`', script: WITHOUT_PS, run: withoutPs },
    { name: 'docker', text: '`/.dockerenv`', script: markedBy('/.dockerenv') },
    { name: 'podman', text: '`/run/.containerenv`', script: markedBy('/run/.containerenv') },
    { name: 'proxy', text: '`HTTP_PROXY` and `HTTPS_PROXY`, without `NO_PROXY`', prepare: behindProxy },
    { name: 'umask-002', text: 'umask 002', options: { umask: 0o002 } },
    { name: 'umask-077', text: 'umask 077', options: { umask: 0o077 } },
    { name: 'home-below-tmp', text: 'HOME below TMPDIR, in a folder of root', script: homeBelowTmp(0) },
    {
        name: 'home-of-others',
        text: 'HOME below TMPDIR, in a folder of another user',
        script: homeBelowTmp(65534),
        run: asAdvised
    },
    { name: 'killed-pod', text: "HOME has a killed pod's files", script: POD, run: afterKilledPod },
    { name: 'two-pods', text: 'two pods with one HOME', script: POD, run: twoPods },
    {
        name: 'volume-group',
        text: 'HOME on a volume that Kubernetes opened to a group (`fsGroup`)',
        script: VOLUME_GROUP,
        run: openedToGroup
    },
    { name: 'wiped-tmp', text: '`/tmp` is wiped while both run', run: wipedTmp },
    { name: 'path-proxy', text: 'a proxy with a sub-path that cuts sockets idle for 60 s', run: behindPathProxy },
    { name: 'all-addresses', text: '`--hostname 0.0.0.0`', options: { hostname: '0.0.0.0' }, run: onAllAddresses }
];

/** The system's defaults in the image have to switch the IDE mode on: the user's settings do not. */
function image(): Pick<Condition, 'options' | 'skip' | 'run'> {
    return {
        options: { environment: { QWEN_CODE_SYSTEM_SETTINGS_PATH: undefined, GEMINI_CLI_SYSTEM_SETTINGS_PATH: undefined } },
        skip: () => (existsSync(IMAGE_ROOT) ? undefined : 'run `npm run image-check` before'),
        run: async pod => {
            for (const folder of ['.qwen', '.gemini']) {
                const file = path.join(pod.workbench.ide.home, folder, 'settings.json');
                const { ide, tools, ...others } = JSON.parse(await fs.readFile(file, 'utf8')) as Record<string, Record<string, unknown>>;
                await fs.writeFile(file, JSON.stringify({ ...others, ...(tools ? { tools: { ...tools, approvalMode: undefined } } : {}) }));
            }
            await pod.connectAndReview();
            return 'as user 1000770000, root read-only; IDE mode by the system’s defaults alone';
        }
    };
}

async function behindProxy(): ReturnType<NonNullable<Condition['prepare']>> {
    const proxy = await ForwardProxy.start();
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
    return {
        options: { environment: Object.fromEntries(names.map(name => [name, proxy.url])) },
        check: async pod => {
            const ports = await pod.workbench.discovery.ports();
            const ours = [...ports].filter(port => [...proxy.asked].some(target => target.endsWith(`:${port}`)));
            if (ours.length > 0) {
                throw new Error(`What the CLIs say to the IDE went through the proxy: ${ours.join(', ')}`);
            }
            return 'nothing for the IDE went through the proxy';
        },
        dispose: () => proxy.dispose()
    };
}

async function withoutPs(pod: Pod): Promise<string> {
    await pod.connectAndReview();
    return 'that is Theia’s (1.74): install procps';
}

/** The other user could put another folder in the place of HOME: the status says so, and what helps. */
async function asAdvised(pod: Pod): Promise<string> {
    const advice = 'export TMPDIR="$HOME/.tmp"';
    await eventually('the advice', async () => (await pod.page.statusDetails()).includes(advice), {
        state: () => pod.page.statusDetails()
    });
    await startAgain(pod, 'SIGTERM');
    return 'after what the status advises (a TMPDIR of one’s own)';
}

/** Kills the pod; another one with the same HOME and workspace takes its place. */
async function afterKilledPod(pod: Pod): Promise<string> {
    const { workbench } = pod;
    const left = await lockFiles(workbench.ide);
    await startAgain(pod, 'SIGKILL');
    const kept = (await lockFiles(workbench.ide)).filter(name => left.includes(name));
    return `${kept.length} of ${left.length} lock files of the killed pod stay until nobody has touched them for 5 minutes`;
}

/** Ends the backend, and starts it again with a page and both CLIs. */
async function startAgain(pod: Pod, signal: NodeJS.Signals): Promise<void> {
    const { workbench } = pod;
    await workbench.page.close();
    await workbench.ide.end(signal);
    await workbench.ide.restart();
    workbench.page = await workbench.openPage();
    const next = pod.on(workbench.page);
    await next.connectAndReview();
    next.failures.forEach((message, words) => pod.failures.set(words, message));
}

async function twoPods(pod: Pod): Promise<string> {
    const { workbench } = pod;
    const beside = await workbench.ide.startBeside();
    try {
        const second = pod.on(await workbench.openElsewhere(workbench.ide.workspace, beside.url));
        await pod.forBoth(words => pod.connect(words));
        await second.forBoth(words => second.connect(words));
        for (const one of [pod, second, pod]) {
            await one.forBoth(words => one.review(words));
        }
        second.failures.forEach((message, words) => pod.failures.set(words, `In the second pod: ${message}`));
    } finally {
        await secondsToEnd(beside);
        await beside.dispose();
    }
    return 'both CLIs in each pod';
}

async function lockFiles(ide: IdeFixture): Promise<string[]> {
    return eventually('a lock file', async () => {
        const names = await fs.readdir(path.join(ide.home, '.qwen', 'ide'));
        return names.length > 0 && names;
    });
}

async function openedToGroup(pod: Pod): Promise<string> {
    await pod.workbench.discovery.published();
    await pod.connectAndReview();
    return 'the companion takes the group’s right from the folders of CLIs';
}

async function wipedTmp(pod: Pod): Promise<string> {
    const { workbench } = pod;
    await pod.connectAndReview();
    for (const name of await fs.readdir(workbench.ide.tmpdir)) {
        await fs.rm(path.join(workbench.ide.tmpdir, name), { recursive: true, force: true });
    }
    await pod.forBoth(words => pod.review(words));
    await workbench.discovery.published();
    await pod.forBoth(async words => {
        await pod.cli(words).quit();
        await eventually(`${words.name} to go`, async () => !(await pod.page.statusDetails()).includes(`${words.name} connected`));
    });
    const later = pod.on(pod.page);
    await later.connectAndReview();
    later.failures.forEach((message, words) => pod.failures.set(words, `Started afterwards: ${message}`));
    return 'those that run, and those started afterwards';
}

async function behindPathProxy(pod: Pod): Promise<string> {
    const { workbench } = pod;
    const proxy = await PathProxy.start(workbench.ide.url, IDLE_TIMEOUT);
    try {
        await workbench.page.close();
        const page = await workbench.openElsewhere(workbench.ide.workspace, proxy.url);
        const behind = pod.on(page);
        await behind.connectAndReview();
        await delay(1.5 * IDLE_TIMEOUT);
        await behind.forBoth(words => behind.review(words));
        behind.failures.forEach((message, words) => pod.failures.set(words, message));
        return `90 s without a key in between; ${proxy.cuts} sockets cut`;
    } finally {
        proxy.dispose();
    }
}

async function onAllAddresses(pod: Pod): Promise<string> {
    await pod.connectAndReview();
    const addresses = await Promise.all([...(await pod.workbench.discovery.ports())].map(listeningAddresses));
    const LOOPBACK = '0100007F';
    if (addresses.flat().length === 0 || addresses.flat().some(address => address !== LOOPBACK)) {
        throw new Error(`The companion listens on ${JSON.stringify(addresses)}`);
    }
    return 'the companion still listens on 127.0.0.1 alone';
}
