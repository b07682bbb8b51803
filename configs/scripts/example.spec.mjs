// SPDX-License-Identifier: Apache-2.0
// The backend's part of examples/custom-ide, with a real server on a real port. `npm run example` has the rest, with a browser.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application.js';
import { expect } from 'chai';
import { NODE, ROOT } from './script.mjs';

const require = createRequire(import.meta.url);
const { isTelemetryData, isValidTelemetryTopic, TelemetryService } = require('@theia/telemetry/lib/common');
const ACME = join(ROOT, 'examples', 'custom-ide', 'acme-companion', 'lib');
const TESTS = join(ROOT, 'companion-extension', 'lib', 'node', 'test');

/** The companion's backend with the modules of the example. They import the companion by its package's name. */
function acmeStudio(reported) {
    const { TestBackend } = require(join(TESTS, 'test-backend'));
    const backend = new TestBackend();
    process.env.ACME_RECORD = backend.host.temporary('record.jsonl');
    backend.container.load(require(join(ACME, 'node', 'acme-backend-module')).default);
    const { AcmeTelemetry } = require(join(ACME, 'node', 'acme-telemetry'));
    backend.container.bind(TelemetryService).toConstantValue({ report: (topic, data) => reported.push({ topic, data }) });
    backend.container.bind(BackendApplicationContribution).to(AcmeTelemetry);
    for (const contribution of backend.container.getAll(BackendApplicationContribution)) {
        contribution.initialize?.();
    }
    return backend;
}

describe('The product that embeds the companion', () => {
    let backend, page, connection, agent, lines, reported;

    before(async () => {
        const { TestPage } = require(join(TESTS, 'test-page'));
        reported = [];
        backend = acmeStudio(reported);
        page = new TestPage();
        connection = backend.connect(page);
        await connection.service.hello(backend.window(page));
        const { port } = backend.windows.serverFor('window-1');
        const environment = { ...process.env, TMPDIR: backend.host.temporaryFolder, ACME_AGENT_IDE_PORT: String(port) };
        agent = spawn(NODE, [join(ACME, 'agent', 'acme-agent.js')], { cwd: backend.host.homeFolder, env: environment });
        lines = createInterface({ input: agent.stdout })[Symbol.asyncIterator]();
    });

    after(async () => {
        agent.kill();
        await backend.stop();
        delete process.env.ACME_RECORD;
    });

    async function nextLine() {
        return (await lines.next()).value;
    }

    async function proposal() {
        const seen = page.shown.length;
        const { eventually } = require(join(TESTS, 'test-cli'));
        return eventually('the proposal', () => page.shown[seen]);
    }

    it('has its own name, and another CLI that is started as the others are', async () => {
        expect(await nextLine()).to.match(/^Connected to Acme Studio\./);
        const { status } = await connection.service.hello(backend.window(page));
        expect(status.clis.map(({ id }) => id)).to.deep.equal(['qwen-code', 'claude-code', 'acme-agent']);
        expect(status.connections.map(({ displayName }) => displayName)).to.deep.equal(['Acme Agent']);
    });

    it('has nothing of a CLI that it left out: no file, no variable', () => {
        const { TerminalEnvironment } = require('theia-cli-companion/lib/node/internal/terminal/terminal-environment');
        const variables = backend.container.get(TerminalEnvironment).variables(backend.windows.serverFor('window-1'), {});
        expect(Object.keys(variables)).to.include.members(['QWEN_CODE_IDE_SERVER_PORT', 'ACME_AGENT_IDE_PORT']);
        expect(Object.entries(variables).filter(([name, value]) => name.startsWith('GEMINI') && value)).to.deep.equal([]);
        expect(readdirSync(backend.host.temporary())).to.include('acme-agent').and.not.to.include('gemini');
    });

    it("has the other CLI's proposals reviewed", async () => {
        const file = backend.host.home('a.txt');
        agent.stdin.write('write a.txt one\n');
        const accepted = await proposal();
        expect([accepted.cliName, accepted.path]).to.deep.equal(['Acme Agent', file]);
        await connection.service.acceptReview(accepted.id, { revision: { page: randomUUID(), n: 1 }, text: 'edited\n' });
        expect(await nextLine()).to.equal(`Wrote ${file}`);
        expect(readFileSync(file, 'utf8')).to.equal('edited\n');
        agent.stdin.write('write a.txt two\n');
        await connection.service.rejectReview((await proposal()).id);
        expect(await nextLine()).to.equal(`Wrote nothing into ${file}`);
        expect(readFileSync(file, 'utf8')).to.equal('edited\n');
    });

    it('gets all the events, and keeps a record of them that has no text and no path', async () => {
        agent.kill();
        await once(agent, 'exit');
        await backend.servers.stop();
        expect(backend.logger.lines.filter(line => line.startsWith('acme-agent: '))).to.deep.equal([
            'acme-agent: connected',
            'acme-agent: proposed',
            'acme-agent: edited',
            'acme-agent: accepted',
            'acme-agent: proposed',
            'acme-agent: rejected',
            'acme-agent: disconnected'
        ]);
        const record = readFileSync(process.env.ACME_RECORD, 'utf8');
        const kinds = record
            .trim()
            .split('\n')
            .map(line => JSON.parse(line).kind);
        expect(kinds).to.deep.equal(['connected', 'proposed', 'edited', 'accepted', 'proposed', 'rejected', 'disconnected']);
        expect(reported.map(({ topic }) => topic)).to.deep.equal(kinds.map(kind => `acme/companion/${kind}`));
        expect(reported.filter(({ topic, data }) => !isValidTelemetryTopic(topic) || !isTelemetryData(data))).to.deep.equal([]);
        expect(record).not.to.match(/a\.txt|one|two|edited\\n/);
    });
});
