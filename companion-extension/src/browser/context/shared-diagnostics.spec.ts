// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { URI } from '@theia/core/lib/common/uri';
import { Diagnostic, DiagnosticSeverity } from '@theia/core/shared/vscode-languageserver-protocol';
import type { Marker } from '@theia/markers/lib/common/marker';
import { CompanionLimits } from '../../common/companion-limits';
import { SharedDiagnostics } from './shared-diagnostics';

const RANGE = { start: { line: 1, character: 2 }, end: { line: 1, character: 3 } };

describe('The problems that CLIs may see', () => {
    /** By the URI of the file. */
    const markers = new Map<string, Diagnostic[]>();
    const secret = new Set<string>();
    const links = new Map<string, string>();
    const filter = { sharing: true, isShared: (path: string) => !secret.has(path) };

    const shared = new SharedDiagnostics(
        {
            getUris: () => markers.keys(),
            findMarkers: ({ uri }: { uri?: URI } = {}) =>
                (markers.get(String(uri)) ?? []).map((data): Marker<Diagnostic> => ({
                    data,
                    uri: String(uri),
                    owner: 'ts',
                    kind: 'problem'
                }))
        },
        filter,
        { realPaths: async paths => paths.map(path => links.get(path) ?? path) }
    );

    const messages = async (uri?: string): Promise<string[]> =>
        (await shared.read(uri)).flatMap(({ diagnostics }) => diagnostics.map(({ message }) => message));

    function set(path: string, ...diagnostics: Array<Partial<Diagnostic>>): void {
        markers.set(
            FileUri.create(path).toString(),
            diagnostics.map(each => ({ message: 'Wrong', range: RANGE, ...each }))
        );
    }

    beforeEach(() => {
        markers.clear();
        secret.clear();
        links.clear();
        filter.sharing = true;
    });

    it('W13: are those that Theia shows, counted from 0, under the name that the CLI has for the file', async () => {
        set('/ws/a b.ts', { severity: DiagnosticSeverity.Warning, source: 'ts' });
        set('/ws/other.ts', {});
        for (const uri of ['file:///ws/a b.ts', 'file:///ws/a%20b.ts', '/ws/a b.ts']) {
            expect(await shared.read(uri)).to.deep.equal([
                { uri, diagnostics: [{ message: 'Wrong', severity: 'Warning', range: RANGE, source: 'ts' }] }
            ]);
        }
        expect((await shared.read(undefined)).map(({ uri }) => uri)).to.deep.equal(['file:///ws/a%20b.ts', 'file:///ws/other.ts']);
    });

    it('are those of a file under whatever name the CLI has for it', async () => {
        set('/link/a.ts', {});
        set('/link/b.ts', {});
        links.set('/link/a.ts', '/data/proj/a.ts');
        links.set('/link/b.ts', '/data/proj/b.ts');
        links.set('/other-link/a.ts', '/data/proj/a.ts');
        for (const path of ['/link/a.ts', '/data/proj/a.ts', '/other-link/a.ts']) {
            expect((await shared.read(`file://${path}`)).map(({ uri }) => uri)).to.deep.equal([`file://${path}`]);
        }
        expect(await shared.read('file:///data/proj/c.ts')).to.deep.equal([]);
        secret.add('/data/proj/a.ts');
        expect(await messages('file:///data/proj/a.ts')).to.deep.equal([]);
    });

    it('keep their codes: texts, numbers, and the values of objects', async () => {
        const codes: unknown[] = ['no-unused-vars', 2304, { value: 'TS1', target: 'https://example.com' }, {}, undefined];
        set('/ws/a.ts', ...codes.map(code => ({ code: code as string })));
        const [{ diagnostics }] = await shared.read(undefined);
        expect(diagnostics.map(({ code }) => code)).to.deep.equal(['no-unused-vars', 2304, 'TS1', undefined, undefined]);
    });

    it('S16: do not include those of an excluded file, whether its own name or the target of a link is excluded', async () => {
        set('/ws/.env', { message: 'Secret' });
        set('/ws/link', { message: 'Linked' });
        set('/ws/a.ts', { message: 'Shared' });
        secret.add('/ws/.env');
        links.set('/ws/link', '/ws/.env');
        expect(await messages()).to.deep.equal(['Shared']);
        expect(await messages('file:///ws/.env')).to.deep.equal([]);
        expect(await messages('file:///ws/link')).to.deep.equal([]);
    });

    it('S16: files that are withheld take no room from others', async () => {
        for (let number = 0; number < CompanionLimits.diagnosedFiles; number++) {
            set(`/ws/secret${number}`, {});
            secret.add(`/ws/secret${number}`);
            set(`/ws/link${number}`, {});
            links.set(`/ws/link${number}`, '/ws/secret0');
        }
        set('/ws/a.ts', { message: 'Shared' });
        expect(await messages()).to.deep.equal(['Shared']);
        for (let number = 0; number < 2 * CompanionLimits.diagnosedFiles; number++) {
            set(`/ws/more${number}`, {});
        }
        expect(await shared.read(undefined)).to.have.length(CompanionLimits.diagnosedFiles);
    });

    it('S16: are empty while nothing is shared', async () => {
        set('/ws/a.ts', {});
        filter.sharing = false;
        expect(await messages()).to.deep.equal([]);
    });

    it('S22: show what is invisible in them', async () => {
        set('/ws/a.ts', { message: 'Wrong\u200b\nline', source: 'ts\u202e' });
        const [{ diagnostics }] = await shared.read(undefined);
        expect(diagnostics).to.deep.equal([{ message: 'Wrong[U+200B]\nline', severity: 'Error', range: RANGE, source: 'ts[U+202E]' }]);
    });

    it('do not include those of anything that is not a file on disk', async () => {
        markers.set('untitled:a.ts', [{ message: 'Wrong', range: RANGE }]);
        expect(await messages()).to.deep.equal([]);
    });

    it('S15: have bounds, and the most severe ones come first', async () => {
        const many = Array.from({ length: CompanionLimits.diagnostics }, () => ({ severity: DiagnosticSeverity.Hint }));
        set('/ws/a.ts', ...many, { message: 'x'.repeat(CompanionLimits.reason + 1), severity: DiagnosticSeverity.Error });
        const all = await messages();
        expect(all).to.have.length(CompanionLimits.diagnostics);
        expect(all[0]).to.equal('x'.repeat(CompanionLimits.reason));
    });
});
