// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { TEMPORARY_FILE } from './atomic-file';
import { FaultError } from '../host/fault-error';
import { GeminiCli } from './gemini-cli';
import { TestHost } from './test/test-host';

const COMMENTED = `{
\t// My theme
\t"ui": { "theme": "Default" }, /* and */
\t"list": [1,
\t\t2]
}
`;

describe('GeminiCli, which changes its settings', () => {
    let host: TestHost;
    let gemini: GeminiCli;
    let file: string;

    beforeEach(() => {
        host = new TestHost();
        gemini = host.container().get(GeminiCli);
        fs.mkdirSync(host.home('.gemini'));
        file = host.home('.gemini', 'settings.json');
    });

    afterEach(() => host.remove());

    async function refusal(): Promise<string> {
        try {
            await gemini.setIdeMode(true);
        } catch (error) {
            return (error as Error).message;
        }
        throw new Error('The settings were written');
    }

    it('IDE mode is off if the user never decided, or turned it off', async () => {
        expect(await gemini.ideModeOff()).to.equal(file);
        for (const text of ['{}', '{"ide":{}}', '{"ide":{"hasSeenNudge":true}}', '{"ide":{"enabled":false}}', COMMENTED]) {
            fs.writeFileSync(file, text);
            expect(await gemini.ideModeOff(), text).to.equal(file);
        }
        fs.writeFileSync(file, '{"ide":{"enabled":true}}');
        expect(await gemini.ideModeOff()).to.equal(undefined);
    });

    it('keeps the CLI from asking, and leaves IDE mode as it is', async () => {
        fs.writeFileSync(file, '{"ide":{"enabled":false}}');
        await gemini.setIdeMode(false);
        expect(JSON.parse(fs.readFileSync(file, 'utf8'))).to.deep.equal({ ide: { enabled: false, hasSeenNudge: true } });
        await gemini.setIdeMode(true);
        expect(JSON.parse(fs.readFileSync(file, 'utf8'))).to.deep.equal({ ide: { enabled: true, hasSeenNudge: true } });
    });

    it('does not overwrite what somebody else writes at the same moment', async () => {
        fs.writeFileSync(file, COMMENTED);
        const refused = refusal();
        while (!fs.readdirSync(host.home('.gemini')).some(name => TEMPORARY_FILE.test(name))) {
            await new Promise(resolve => setImmediate(resolve));
        }
        fs.writeFileSync(file, '{"theirs":true}');
        expect(await refused).to.include('changed by another program');
        expect(fs.readFileSync(file, 'utf8')).to.equal('{"theirs":true}');
        expect(fs.readdirSync(host.home('.gemini'))).to.deep.equal(['settings.json']);
    });

    it('leaves it to an administrator who decided', async () => {
        const folder = host.temporary('etc');
        fs.mkdirSync(folder);
        host.variables['GEMINI_CLI_SYSTEM_SETTINGS_PATH'] = path.join(folder, 'settings.json');
        const decide = async (name: string, enabled: boolean, user: string): Promise<string | undefined> => {
            fs.writeFileSync(path.join(folder, name), JSON.stringify({ ide: { enabled } }));
            fs.writeFileSync(file, user);
            const off = await gemini.ideModeOff();
            fs.unlinkSync(path.join(folder, name));
            return off;
        };
        expect(await decide('settings.json', false, '{}')).to.equal(undefined);
        expect(await decide('system-defaults.json', true, '{}')).to.equal(undefined);
        expect(await decide('system-defaults.json', true, '{"ide":{"enabled":false}}')).to.equal(file);
    });

    it('honours GEMINI_CLI_HOME', async () => {
        host.variables['GEMINI_CLI_HOME'] = host.temporary('home');
        expect(await gemini.ideModeOff()).to.equal(host.temporary('home', '.gemini', 'settings.json'));
    });

    it('writes no file into the folder that this process runs in: nothing is offered for a relative GEMINI_CLI_HOME', async () => {
        host.variables['GEMINI_CLI_HOME'] = path.relative(process.cwd(), host.temporary('home'));
        expect(await gemini.ideModeOff()).to.equal(undefined);
        const error = await gemini.setIdeMode(true).catch((reason: Error) => reason);
        expect(error).to.be.instanceOf(FaultError);
        expect(fs.existsSync(host.temporary('home'))).to.equal(false);
    });

    it('creates a missing file that only the user can read', async () => {
        fs.rmdirSync(host.home('.gemini'));
        await gemini.setIdeMode(true);
        expect(JSON.parse(fs.readFileSync(file, 'utf8'))).to.deep.equal({ ide: { enabled: true } });
        expect(fs.statSync(file).mode & 0o777).to.equal(0o600);
        expect(fs.statSync(path.dirname(file)).mode & 0o777).to.equal(0o700);
        expect(await gemini.ideModeOff()).to.equal(undefined);
    });

    it('keeps comments, indentation and mode', async () => {
        fs.writeFileSync(file, COMMENTED);
        fs.chmodSync(file, 0o640);
        await gemini.setIdeMode(true);
        const text = fs.readFileSync(file, 'utf8');
        expect(text).to.include('\t// My theme\n').and.to.include('/* and */').and.to.include('\t"ide": {\n\t\t"enabled": true\n\t}\n');
        expect(fs.statSync(file).mode & 0o777).to.equal(0o640);
    });

    for (const before of ['{}', '{"a": {"b": 1}}', '{"ide": {"hasSeenNudge": true}}', '{\n  "ide": {}\n}\n', '{\n  "a": 1\n}\n']) {
        it(`adds to ${JSON.stringify(before)}`, async () => {
            fs.writeFileSync(file, before);
            await gemini.setIdeMode(true);
            const { ide, ...rest } = JSON.parse(before) as { ide?: object };
            expect(JSON.parse(fs.readFileSync(file, 'utf8'))).to.deep.equal({ ...rest, ide: { ...ide, enabled: true } });
        });
    }

    it('adds to the settings that the user already has for the IDE', async () => {
        fs.writeFileSync(file, '{\r\n  "ide": {\r\n    "hasSeenNudge": true\r\n  }\r\n}\r\n');
        await gemini.setIdeMode(true);
        const text = fs.readFileSync(file, 'utf8');
        expect(JSON.parse(text)).to.deep.equal({ ide: { hasSeenNudge: true, enabled: true } });
        expect(text.replace(/\r\n/g, '')).not.to.match(/[\r\n]/);
    });

    it('keeps a link to a file elsewhere, and the owner of that file', async () => {
        const real = host.home('dotfiles.json');
        fs.writeFileSync(real, '{}');
        if (host.uid === 0) {
            fs.chownSync(real, 12345, 12345);
        }
        const owner = fs.statSync(real).uid;
        fs.symlinkSync(real, file);
        await gemini.setIdeMode(true);
        expect(fs.lstatSync(file).isSymbolicLink()).to.equal(true);
        expect(JSON.parse(fs.readFileSync(real, 'utf8'))).to.deep.equal({ ide: { enabled: true } });
        expect(fs.statSync(real).uid).to.equal(owner);
    });

    for (const [what, text] of [
        ['broken JSON', '{\n  "a": 1,\n  oops\n}'],
        ['an empty file', ''],
        ['a trailing comma, which Gemini CLI refuses', '{"a": 1,}'],
        ['no object', '[]'],
        ['an "ide" that is no object', '{"ide": true}']
    ]) {
        it(`refuses ${what} with a clear text and changes nothing`, async () => {
            fs.writeFileSync(file, text);
            expect(await refusal())
                .to.include(file)
                .and.to.include('Nothing was changed');
            expect(fs.readFileSync(file, 'utf8')).to.equal(text);
            expect(fs.readdirSync(path.dirname(file))).to.deep.equal(['settings.json']);
        });
    }

    it('names the line of a mistake', async () => {
        fs.writeFileSync(file, '{\n  "a": 1,\n  oops\n}');
        expect(await refusal()).to.include('line 3');
    });

    it('refuses a link that leads nowhere, and a folder', async () => {
        fs.symlinkSync(host.home('nowhere'), file);
        expect(await refusal()).to.include('could not be read');
        fs.unlinkSync(file);
        fs.mkdirSync(file);
        expect(await refusal()).to.include('could not be read');
    });
});
