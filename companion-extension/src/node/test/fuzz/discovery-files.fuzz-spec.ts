// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { spawnSync } from 'child_process';
import * as fs from 'fs';
import * as path from 'path';
import * as fc from 'fast-check';
import { DiscoveryFiles } from '../../discovery/discovery-files';
import { ProcessMarkers } from '../../discovery/process-marker';
import { LinuxProcessTable } from '../../host/linux-process-table';
import { QuickDiscoveryFiles } from '../faulty-backend';
import { TestBackend } from '../test-backend';
import { TestPage } from '../test-page';
import { fuzzBounds, fuzzTimeout } from './fuzz-bounds';

describe('Fuzz: discovery files', function () {
    this.timeout(fuzzTimeout());

    let backend: TestBackend;
    let folder: string;

    beforeEach(() => {
        backend = new TestBackend();
        backend.container.rebind(DiscoveryFiles).to(QuickDiscoveryFiles).inSingletonScope();
        folder = backend.host.home('.qwen', 'ide');
        fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    });

    afterEach(() => backend.stop());

    it('the sweep removes what our own marker proves to be dead, and nothing else', async () => {
        const markers = new ProcessMarkers(new LinuxProcessTable());
        const own = markers.markerOf();
        const living = new Map([own, markers.markerOf(process.ppid)].map(({ pid, startTime }) => [pid, startTime]));
        const boot = own.startTime.split('/')[0];
        // Process ids end far below the second one.
        const dead = [spawnSync('true').pid, 2 ** 31 - 1];
        const mostly = <T>(...values: T[]): fc.Arbitrary<unknown> =>
            fc.oneof({ weight: 6, arbitrary: fc.constantFrom<unknown>(...values) }, { weight: 1, arbitrary: fc.jsonValue() });
        const marker = fc.record(
            {
                host: mostly(own.host, own.host, own.host, 'another'),
                pidNamespace: mostly(own.pidNamespace, own.pidNamespace, own.pidNamespace, 'pid:[1]', ''),
                pid: mostly(...living.keys(), ...dead, 0, -1),
                startTime: mostly(...living.values(), `${boot}/1`, 'another-boot/1', '')
            },
            { requiredKeys: ['host', 'pid', 'startTime'] }
        );
        const isDead = (value: { host?: unknown; pidNamespace?: unknown; pid?: unknown; startTime?: unknown } | null): boolean => {
            const { host, pidNamespace, pid, startTime } = value ?? {};
            if (host !== own.host || pidNamespace !== own.pidNamespace || typeof startTime !== 'string' || typeof pid !== 'number') {
                return false;
            }
            // Of another boot it may be that of a copied machine.
            if (startTime !== '' && startTime.slice(0, startTime.lastIndexOf('/')) !== boot) {
                return false;
            }
            const isLiving = living.has(pid) && (startTime === '' || startTime === living.get(pid));
            return Number.isSafeInteger(pid) && pid > 0 && !isLiving;
        };
        const content = fc.oneof(
            {
                weight: 6,
                arbitrary: marker.map(value => ({ text: JSON.stringify({ port: 1, theiaCompanion: value }), dead: isDead(value) }))
            },
            { weight: 1, arbitrary: fc.oneof(fc.string(), fc.json()).map(text => ({ text, dead: false })) },
            { weight: 1, arbitrary: fc.jsonValue().map(value => ({ text: JSON.stringify({ theiaCompanion: value }), dead: false })) }
        );
        let removed = 0;
        const property = fc.asyncProperty(fc.array(content, { maxLength: 8 }), async contents => {
            const files = contents.map((one, index) => {
                const file = path.join(folder, `${index + 1}.lock`);
                fs.writeFileSync(file, one.text);
                return { file, ...one };
            });
            await backend.container.get(DiscoveryFiles).sweep();
            for (const { file, text, dead: expected } of files) {
                expect(fs.existsSync(file), text).to.equal(!expected);
                removed += expected ? 1 : 0;
                fs.rmSync(file, { force: true });
            }
        });
        await fc.assert(property, fuzzBounds());
        expect(removed).to.be.above(0);
    });

    it('whatever others put in the place of our file, the server continues, and in the end our file is there', async () => {
        const page = new TestPage();
        const { service } = backend.connect(page);
        await service.hello(backend.window(page));
        const { port } = backend.discovered();
        const file = path.join(folder, `${port}.lock`);
        const ours = fs.readFileSync(file, 'utf8');
        const property = fc.asyncProperty(fc.oneof(fc.string(), fc.json(), fc.constant(undefined)), async text => {
            if (text === undefined) {
                fs.rmSync(file, { force: true });
            } else {
                fs.writeFileSync(file, text);
            }
            const end = Date.now() + 5_000;
            while (!(fs.existsSync(file) && fs.readFileSync(file, 'utf8') === ours)) {
                expect(Date.now()).to.be.below(end);
                await new Promise(resolve => setTimeout(resolve, 20));
            }
        });
        await fc.assert(property, { ...fuzzBounds(), numRuns: 10 });
    });
});
