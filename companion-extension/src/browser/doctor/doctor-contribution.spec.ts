// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { Emitter } from '@theia/core/lib/common/event';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { Resource } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { expect } from 'chai';
import { DoctorBackend } from '../../common/doctor-protocol';
import { Diagnosis, DiagnosisStep } from '../../common/diagnosis';
import { FakeServices } from '../test/fake-services';
import { FixStatus } from './fix-status';
import { CompanionConnection } from '../window/companion-connection';
import { DIAGNOSIS_SCHEME, DoctorContribution } from './doctor-contribution';

describe('The document of the diagnosis', () => {
    let doctor: DoctorContribution;
    let resource: Resource;
    let opened: URI[];
    let connections: Array<{ displayName: string; since: number }>;
    let isClosed: boolean;
    let fixes: FixStatus;
    let canRender: boolean;
    let rendered: unknown[];
    const onDidDispose = new Emitter<void>();
    const onDidChangeState = new Emitter<void>();
    let reloadNeeded: boolean;
    let answer: (shell: number | undefined) => Promise<Diagnosis>;

    beforeEach(async () => {
        [opened, connections, isClosed] = [[], [], false];
        [rendered, canRender] = [[], false];
        reloadNeeded = false;
        answer = async shell => ({ terminal: { shell: shell ?? 0, folder: '/ws' }, clis: [] });
        const services = new FakeServices();
        services.bind(DoctorBackend, { diagnose: (shell: number | undefined) => answer(shell) });
        services.bind(CompanionConnection, {
            ask: (call: () => Promise<Diagnosis>) => call(),
            failure: undefined,
            onDidChangeState: onDidChangeState.event,
            state: { status: { connections } },
            get reloadNeeded() {
                return reloadNeeded;
            }
        });
        services.bind(TerminalService, { lastUsedTerminal: { processId: Promise.resolve(42) }, all: [] });
        services.bind(EditorManager, {
            open: async (uri: URI) => {
                opened.push(uri);
                return {
                    disposed: { connect: (listen: () => void) => onDidDispose.event(listen) },
                    get isDisposed() {
                        return isClosed;
                    }
                };
            }
        });
        services.bind(CommandRegistry, {
            isEnabled: () => canRender,
            executeCommand: async (...call: unknown[]) => void rendered.push(...call)
        });
        services.bindReal(FixStatus);
        doctor = services.create(DoctorContribution);
        fixes = services.get(FixStatus);
        resource = await doctor.resolve(new URI(`${DIAGNOSIS_SCHEME}:/diagnosis.md`));
    });

    afterEach(() => resource.dispose());

    it('says in a tab that was restored how to look again', async () => {
        expect(await resource.readContents()).to.equal('Run "Diagnose CLI Connection" to look again.');
        expect(resource.readOnly).to.equal(true);
    });

    it('says that it looks, and then what was found for the terminal that was used last', async () => {
        const texts: string[] = [];
        resource.onDidChangeContents?.(() => void Promise.resolve(resource.readContents()).then(text => texts.push(text)));
        await doctor.diagnose();
        await Promise.resolve();
        expect(opened.map(uri => [doctor.canHandle(uri) > 0, doctor.getName()])).to.deep.equal([[true, 'CLI Connection']]);
        expect(rendered).to.deep.equal([]);
        expect(texts[0]).to.equal('Checking each step that the CLIs take…');
        expect(texts[1]).to.match(/^# CLI Connection\n\nFor the terminal in \/ws \(shell 42\)\. As it was at [\d:\sAPM]+\.\n$/);
    });

    it('is shown rendered where the application can', async () => {
        canRender = true;
        await doctor.diagnose();
        expect(rendered).to.deep.equal(['markdown.showPreview', opened[0]]);
    });

    it('looks again when a CLI connects, while it is open', async () => {
        let asked = 0;
        answer = async () => ({ clis: [{ cliId: 'acme', displayName: `Acme ${++asked}`, quoted: false, steps: [] }] });
        await doctor.diagnose();
        connections.push({ displayName: 'Acme', since: 1 });
        onDidChangeState.fire();
        await new Promise(setImmediate);
        expect(await resource.readContents()).to.include('Acme 2');
        onDidChangeState.fire();
        isClosed = true;
        connections.pop();
        onDidChangeState.fire();
        await new Promise(setImmediate);
        expect(asked).to.equal(2);
    });

    it('hands on what mends the problems, until it is closed', async () => {
        const steps: DiagnosisStep[] = [{ id: 'workspace.outside', verdict: 'failure', command: "cd '/ws'" }];
        answer = async () => ({ clis: [{ cliId: 'acme', displayName: 'Acme', quoted: false, steps }] });
        await doctor.diagnose();
        expect(fixes.sections()[0].rows.map(({ label }) => label)).to.deep.equal(["cd '/ws'"]);
        onDidDispose.fire();
        expect(fixes.sections()[0].rows).to.deep.equal([]);
    });

    it('hands on what mends the problems of the terminal that it is about, if an earlier look ends late', async () => {
        const steps: DiagnosisStep[] = [{ id: 'workspace.outside', verdict: 'failure', command: "cd '/ws'" }];
        const late = new Deferred<Diagnosis>();
        answer = () => late.promise;
        const first = doctor.diagnose();
        await new Promise(setImmediate);
        answer = async () => ({ clis: [] });
        await doctor.diagnose();
        late.resolve({ clis: [{ cliId: 'acme', displayName: 'Acme', quoted: false, steps }] });
        await first;
        expect(fixes.sections()[0].rows).to.deep.equal([]);
    });

    it('hands on nothing once nothing can be found out', async () => {
        const steps: DiagnosisStep[] = [{ id: 'workspace.outside', verdict: 'failure', command: "cd '/ws'" }];
        answer = async () => ({ clis: [{ cliId: 'acme', displayName: 'Acme', quoted: false, steps }] });
        await doctor.diagnose();
        answer = () => Promise.reject(new Error('The backend does not answer.'));
        await doctor.diagnose();
        expect(fixes.sections()[0].rows).to.deep.equal([]);
    });

    it('says why nothing can be found out', async () => {
        answer = () => Promise.reject(new Error('The backend does not answer.'));
        await doctor.diagnose();
        expect(await resource.readContents()).to.equal('The backend does not answer.\n');
    });

    it('says that the page has to be reloaded, and asks a backend that does not know it nothing', async () => {
        reloadNeeded = true;
        answer = () => Promise.reject(new Error('asked'));
        await doctor.diagnose();
        expect(await resource.readContents()).to.include('reload this page to reconnect');
    });
});
