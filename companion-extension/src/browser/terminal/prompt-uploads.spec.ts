// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { MessageService } from '@theia/core/lib/common/message-service';
import { URI } from '@theia/core/lib/common/uri';
import { FileUploadServiceImpl } from '@theia/filesystem/lib/browser/upload/file-upload-service-impl';
import { TerminalWidget } from '@theia/terminal/lib/browser/base/terminal-widget';
import { expect } from 'chai';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';
import { PromptBackend } from '../../common/prompt-protocol';
import { FakeServices } from '../test/fake-services';
import { CliPrompt, PromptContent } from './cli-prompt';
import { PromptContribution } from './prompt-contribution';
import { PromptUploads, uploadName } from './prompt-uploads';
import { testPolicy } from '../test/page-policy';
import { PagePolicy } from '../window/page-policy';

const TERMINAL = { processId: Promise.resolve(100) } as unknown as TerminalWidget;
const ESCAPED = { shell: 100, cliId: 'qwen-code', displayName: 'Qwen Code', mentionStyle: { form: 'escaped' as const, unread: '' } };

describe('Files that are uploaded for a prompt', () => {
    let uploads: PromptUploads;
    let folder: string | undefined;
    let sent: string[];
    let takesText: boolean;
    let lost: number;
    let most: number;
    let typed: string[];
    let said: string[];
    let policy: PagePolicy;

    beforeEach(() => {
        [folder, sent, lost, most, typed, said] = ['/tmp/ours/1', [], 0, Infinity, [], []];
        const services = new FakeServices();
        services.bind(PromptBackend, { makeUploadFolder: async () => folder });
        services.bind(FileUploadServiceImpl, {
            upload: async (target: URI, { source }: { source: FormData }) => {
                sent = [...source.values()].map(file => `${target.path.fsPath()}/${(file as File).name}`);
                return { uploaded: sent.slice(lost) };
            }
        });
        takesText = true;
        services.bind(CliPrompt, {
            takesText: async () => takesText,
            typeInto: async (_: unknown, { textFor }: PromptContent) => typed.push(textFor(ESCAPED)) < most
        });
        services.bind(PromptContribution, {
            whyWithheld: (path: string, name: string) => (['/.env', '/ws/data.csv'].includes(path) ? `${name} is withheld.` : undefined)
        });
        services.bind(PagePolicy, (policy = testPolicy()));
        services.bind(WorkspaceService, { tryGetRoots: () => [{ resource: new URI('file:///ws') }] });
        const say = async (text: string): Promise<undefined> => void said.push(text);
        services.bind(MessageService, { warn: say, error: say });
        uploads = services.create(PromptUploads);
    });

    function file(name: string, size = 1): File {
        return Object.defineProperty(new File(['x'], name), 'size', { value: size });
    }

    it('are typed by their paths, in their order, each as a paste of its own', async () => {
        await uploads.add([file('b.png'), file('a b.txt')], TERMINAL);
        expect(sent).to.deep.equal(['/tmp/ours/1/1-b.png', '/tmp/ours/1/2-a-b.txt']);
        expect(typed).to.deep.equal([' @/tmp/ours/1/1-b.png ', ' @/tmp/ours/1/2-a-b.txt ']);
        expect(said).to.deep.equal([]);
    });

    it('are not uploaded if the policy forbids it, which the user is told', async () => {
        policy.receive({ preferences: {}, clis: [], off: ['uploads'] });
        await uploads.add([file('b.png')], TERMINAL);
        expect([sent, typed]).to.deep.equal([[], []]);
        expect(said).to.deep.equal(['Your administrator has switched off uploads for CLIs.']);
    });

    it('S16: are left out and named if they are withheld, too large or too many, and the rest goes on', async () => {
        const many = Array.from({ length: 20 }, (_, index) => file(`${index}.txt`));
        await uploads.add([file('.env'), file('data.csv'), file('big.bin', 20 * 1024 * 1024 + 1), ...many, file('last.txt')], TERMINAL);
        expect(typed).to.have.length(20);
        expect(said).to.deep.equal([
            '.env is withheld. data.csv is withheld. Not uploaded: big.bin, last.txt. At most 20 files at a time, of 20 MiB each.'
        ]);
    });

    it('are typed no more once one could not be typed: that is said once', async () => {
        most = 2;
        await uploads.add([file('a.png'), file('b.png'), file('c.png')], TERMINAL);
        expect(typed).to.have.length(2);
    });

    it('are not typed if the upload was cancelled, or if the CLI has ended', async () => {
        lost = 1;
        await uploads.add([file('a.png'), file('b.png')], TERMINAL);
        folder = undefined;
        await uploads.add([file('a.png')], TERMINAL);
        expect(typed).to.deep.equal([]);
        [folder, takesText, sent] = ['/tmp/ours/1', false, []];
        await uploads.add([file('a.png')], TERMINAL);
        expect(sent, 'nothing is uploaded for nobody').to.deep.equal([]);
    });

    it('have names that mean nothing to a shell, a URI or a prompt', () => {
        const names = ['../.bash rc', '-a#b%20$(x).png', 'line\nend\u202egnp.exe', '图片 1.png', '…', `${'x'.repeat(300)}.tar.gz`];
        const [parent, dash, hidden, chinese, none, long] = names.map((name, index) => uploadName(name, index));
        expect(parent).to.equal('1-bash-rc');
        expect(dash).to.equal('2-a-b-20-x-.png');
        expect(hidden).to.equal('3-line-end-gnp.exe');
        expect(chinese).to.equal('4-图片-1.png');
        expect(none).to.equal('5-file');
        expect(long).to.match(/^6-x{53}\.tar\.gz$/);
    });
});
