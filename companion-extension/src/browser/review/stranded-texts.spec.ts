// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { UntitledResourceResolver } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { expect } from 'chai';
import { ReviewSave } from '../../common/companion-protocol';
import { WorkspacePaths } from '../window/workspace-paths';
import { FakeServices } from '../test/fake-services';
import { StrandedTexts } from './stranded-texts';
import { UnsentTexts } from './unsent-texts';

describe('Texts of another start of the IDE', () => {
    let stranded: ReviewSave[];
    const opened: string[] = [];
    const save: ReviewSave = {
        about: { reviewId: 'review', uri: 'file:///w/a.ts', cliName: 'Qwen Code' },
        revision: { page: 'load', n: 1 },
        base: [],
        text: 'typed'
    };

    function make(): StrandedTexts {
        const services = new FakeServices();
        services.bind(UnsentTexts, {
            get stranded() {
                return stranded;
            },
            forgetStranded: () => (stranded = [])
        });
        services.bind(UntitledResourceResolver, {
            createUntitledURI: (extension: string) => new URI(`untitled:/Untitled-1${extension}`),
            createUntitledResource: async (text: string, _: unknown, uri: URI) => void opened.push(`${uri}: ${text}`)
        });
        services.bind(EditorManager, { open: async (uri: URI) => void opened.push(uri.toString()) });
        services.bind(WorkspacePaths, { name: (path: string) => path.split('/').pop(), display: (path: string) => path });
        return services.create(StrandedTexts);
    }

    it('have a section while there are any, and open as new files', async () => {
        stranded = [save];
        const texts = make();
        const [{ rows }] = texts.sections();
        expect(rows.map(({ label, description }) => `${label} ${description}`)).to.deep.equal(['a.ts Qwen Code']);
        const commands = new CommandRegistry({ getContributions: () => [] });
        texts.registerCommands(commands);
        await commands.executeCommand(rows[0].command, ...(rows[0].args ?? []));
        expect(opened).to.deep.equal(['untitled:/Untitled-1.ts: typed', 'untitled:/Untitled-1.ts']);
        stranded = [];
        expect(texts.sections()).to.deep.equal([]);
    });
});
