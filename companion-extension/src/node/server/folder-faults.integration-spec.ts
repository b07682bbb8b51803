// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { execFileSync } from 'child_process';
import * as fs from 'fs';
import * as path from 'path';
import { CompanionProblem } from '../../common/companion-problem';
import { faultText, problemText } from '../../common/problem-text';
import { FaultyBackend, failing } from '../test/faulty-backend';
import { eventually } from '../test/test-cli';
import { TestPage } from '../test/test-page';

describe('A backend on a machine with faults, in its folders', () => {
    let backend: FaultyBackend;
    let page: TestPage;
    FaultyBackend.forEachTest(made => ([backend, page] = [made, made.page]));

    for (const [what, code] of [
        ['a full disk', 'ENOSPC'],
        ['a used-up quota', 'EDQUOT'],
        ['no file descriptor left', 'EMFILE']
    ]) {
        it(`${what}: one sentence for each CLI, no half-written file, and it recovers by itself`, async () => {
            backend.replace(fs.promises, 'open', failing(code));
            const problems = await backend.hello();
            expect(problems.filter(problem => problem.includes('Gemini CLI cannot connect'))).to.have.length(1);
            expect(problems.filter(problem => problem.includes('Qwen Code may edit files without asking'))).to.have.length(1);
            problems.forEach(problem => expect(problem).to.include(code));
            problems
                .filter(problem => problem.includes('cannot connect'))
                .forEach(problem => expect(problem).to.match(/Set (TMPDIR|QWEN_HOME|CLAUDE_CONFIG_DIR|COPILOT_HOME)/));
            backend.mend();
            await backend.expectRecovery();
            const names = fs.readdirSync(backend.host.folder, { recursive: true }) as string[];
            expect(names.filter(name => name.endsWith('.tmp'))).to.deep.equal([]);
        });
    }

    it('a read-only folder for temporary files: says so, and recovers by itself', async () => {
        backend.retryAtOnce();
        backend.replace(fs.promises, 'mkdir', failing('EROFS') as typeof fs.promises.mkdir);
        const problems = await backend.hello();
        expect(problems.join(' ')).to.include('could not be created').and.to.include('EROFS');
        backend.mend();
        await backend.expectRecovery();
    });

    it('no folder for temporary files and no HOME: they are created', async () => {
        fs.rmSync(backend.host.temporaryFolder, { recursive: true });
        fs.rmSync(backend.host.homeFolder, { recursive: true });
        expect(await backend.hello()).to.deep.equal([]);
        await backend.expectRecovery();
    });

    it('a configuration folder that cannot be created: says what Qwen Code lacks, and recovers by itself', async () => {
        const { configurationFolder } = backend.host;
        fs.writeFileSync(configurationFolder, '');
        const problems = await backend.hello();
        expect(problems).to.have.length(1);
        expect(problems[0]).to.include('Qwen Code may edit files without asking').and.to.include(configurationFolder);
        expect(backend.defaultsOfQwen()).to.equal(undefined);
        fs.unlinkSync(configurationFolder);
        await backend.expectRecovery();
        expect(fs.readFileSync(backend.defaultsOfQwen() ?? '', 'utf8')).to.include('"approvalMode": "default"');
    });

    it('a folder that others can write to: is logged once when it is found and once when it is fixed, with the command that the status shows', async () => {
        const folder = backend.host.temporary('gemini');
        fs.mkdirSync(folder);
        fs.chmodSync(folder, 0o777);
        const { service } = backend.connect(page);
        for (let count = 0; count < 3; count++) {
            page.state = await service.hello(backend.window(page));
        }
        const another = new TestPage();
        await backend.connect(another).service.hello(backend.window(another, { windowId: 'window-2' }));
        const command = `chmod go-w '${folder}'`;
        const problem: CompanionProblem = {
            code: 'cannot-connect',
            cliName: 'Gemini CLI',
            fault: { code: 'folder-open-to-others', folder, command }
        };
        expect(page.state?.status.problems).to.deep.equal([problem]);
        expect(backend.logged(folder)).to.deep.equal([problemText(problem)]);
        execFileSync('/bin/sh', ['-c', command]);
        await backend.expectRecovery();
        await eventually('the end in the log', () => backend.logged(folder).length > 1);
        expect(backend.logged(folder)).to.deep.equal([problemText(problem), `No longer: ${problemText(problem)}`]);
    });

    it('HOME in a folder of another user below TMPDIR: says so in the status and in the log, with a command that helps', async () => {
        const { host } = backend;
        const shared = host.temporary('of-another-user');
        fs.mkdirSync(path.join(shared, 'home'), { recursive: true });
        Object.assign(host, { homeFolder: path.join(shared, 'home') });
        if (host.uid === 0) {
            fs.chownSync(shared, 12345, 12345);
        } else {
            Object.assign(host, { uid: (host.uid ?? 0) + 1 });
        }
        const problems = (await backend.hello()).filter(problem => problem.includes('Qwen Code cannot connect'));
        expect(problems).to.have.length(1);
        expect(problems[0])
            .to.include(`The folder ${shared} belongs to another user`)
            .and.to.include('Run: mkdir -p "$HOME/.tmp" && export TMPDIR="$HOME/.tmp"');
        expect(backend.logged('Qwen Code cannot connect')).to.deep.equal(problems);
    });

    it('a read-only HOME: each problem is in the log once, with path and cause, however often the window gets the focus', async () => {
        backend.replace(fs.promises, 'open', failing('EROFS'));
        const { service } = backend.connect(page);
        let problems: string[] = [];
        for (let count = 0; count < 3; count++) {
            page.state = await service.hello(backend.window(page));
            problems = page.state.status.problems.map(problemText);
        }
        expect(problems.map(problem => /^(Gemini CLI|Qwen Code|Claude Code|Copilot CLI)/.exec(problem)?.[0])).to.have.members([
            'Gemini CLI',
            'Qwen Code',
            'Qwen Code',
            'Claude Code',
            'Copilot CLI'
        ]);
        problems.forEach(problem => expect(problem).to.include(backend.host.folder).and.to.include('EROFS').and.to.include('Run: '));
        expect(backend.logged('EROFS')).to.have.members(problems);
    });

    it('settings of Gemini CLI that cannot be read: it can be started, and nothing is written', async () => {
        const file = path.join(backend.host.home('.gemini'), 'settings.json');
        fs.mkdirSync(path.dirname(file));
        fs.writeFileSync(file, '{ oops');
        const { service } = backend.connect(page);
        await service.hello(backend.window(page));
        expect(await service.findCommand('gemini-cli')).to.include({ ideModeOff: file });
        const fault = await service.setIdeMode('gemini-cli', true);
        expect(fault && faultText(fault))
            .to.include(file)
            .and.to.include('not valid JSON');
        expect(fs.readFileSync(file, 'utf8')).to.equal('{ oops');
    });
});
