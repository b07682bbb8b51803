// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { TEMPORARY_FILE } from './atomic-file';
import { GeminiCli } from './gemini-cli';
import { GeminiSettings } from './gemini-settings';
import { TestHost } from './test/test-host';

const COMMENTED = `{
\t// My theme
\t"ui": { "theme": "Default" }, /* and */
\t"list": [1,
\t\t2]
}
`;

/** Heeds system files wherever they lie: a test has no folder that root alone can write to. */
class HeedingSettings extends GeminiSettings {
    protected override async isHeeded(file: string): Promise<boolean> {
        return fs.existsSync(file);
    }
}

describe('GeminiSettings', () => {
    let host: TestHost;
    let settings: GeminiSettings;
    let file: string;

    beforeEach(() => {
        host = new TestHost();
        settings = host.container().get(GeminiSettings);
        fs.mkdirSync(host.home('.gemini'));
        file = host.home('.gemini', 'settings.json');
    });

    afterEach(() => host.remove());

    async function refusal(): Promise<string> {
        try {
            await settings.enableIdeMode();
        } catch (error) {
            return (error as Error).message;
        }
        throw new Error('The settings were written');
    }

    it('offers to switch IDE mode on where the user never decided, and says where and what', async () => {
        const expected = { path: file, change: '"ide": { "enabled": true }' };
        expect(await settings.offer()).to.deep.equal(expected);
        for (const text of ['{}', '{"ide":{}}', '{"ide":{"hasSeenNudge":true}}', COMMENTED]) {
            fs.writeFileSync(file, text);
            expect(await settings.offer(), text).to.deep.equal(expected);
        }
        const offer = await host.container().get(GeminiCli).ideModeOffer();
        expect(offer).to.deep.equal({ cliId: 'gemini-cli', displayName: 'Gemini CLI', ...expected });
    });

    it('writes nothing over what somebody else writes at the same moment', async () => {
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

    it('offers nothing where the user has decided, either way', async () => {
        for (const enabled of [true, false]) {
            fs.writeFileSync(file, JSON.stringify({ ide: { enabled } }));
            expect(await settings.offer()).to.equal(undefined);
            await settings.enableIdeMode();
            expect(fs.readFileSync(file, 'utf8')).to.equal(JSON.stringify({ ide: { enabled } }));
        }
    });

    for (const [variable, name] of [
        ['GEMINI_CLI_SYSTEM_SETTINGS_PATH', 'settings.json'],
        ['GEMINI_CLI_SYSTEM_DEFAULTS_PATH', 'system-defaults.json'],
        ['GEMINI_CLI_SYSTEM_SETTINGS_PATH', 'system-defaults.json']
    ]) {
        it(`offers nothing where an administrator has decided in ${name}, found by ${variable}`, async () => {
            const container = host.container();
            container.rebind(GeminiSettings).to(HeedingSettings);
            fs.writeFileSync(host.temporary(name), '{"ide":{"enabled":false}}');
            host.variables[variable] = host.temporary(variable.includes('SETTINGS') ? 'settings.json' : name);
            expect(await container.get(GeminiSettings).offer()).to.equal(undefined);
            fs.unlinkSync(host.temporary(name));
            expect(await container.get(GeminiSettings).offer()).not.to.equal(undefined);
        });
    }

    it('does not heed a system file that others can write to, as Gemini CLI does not', async () => {
        host.variables['GEMINI_CLI_SYSTEM_DEFAULTS_PATH'] = host.temporary('system-defaults.json');
        fs.writeFileSync(host.temporary('system-defaults.json'), '{"ide":{"enabled":true}}');
        fs.chmodSync(host.temporary('system-defaults.json'), 0o666);
        expect(await settings.offer()).not.to.equal(undefined);
    });

    it('offers nothing to those who do not use Gemini CLI', async () => {
        fs.rmdirSync(host.home('.gemini'));
        expect(await settings.offer()).to.equal(undefined);
        host.variables['PATH'] = ['/nowhere', host.temporary('bin')].join(path.delimiter);
        fs.mkdirSync(host.temporary('bin'));
        fs.writeFileSync(host.temporary('bin', 'gemini'), '');
        expect(await settings.offer()).not.to.equal(undefined);
    });

    it('honours GEMINI_CLI_HOME', async () => {
        host.variables['GEMINI_CLI_HOME'] = host.temporary('home');
        fs.mkdirSync(host.temporary('home', '.gemini'), { recursive: true });
        expect((await settings.offer())?.path).to.equal(host.temporary('home', '.gemini', 'settings.json'));
    });

    it('writes a file where there is none, for the user alone', async () => {
        fs.rmdirSync(host.home('.gemini'));
        await settings.enableIdeMode();
        expect(JSON.parse(fs.readFileSync(file, 'utf8'))).to.deep.equal({ ide: { enabled: true } });
        expect(fs.statSync(file).mode & 0o777).to.equal(0o600);
        expect(fs.statSync(path.dirname(file)).mode & 0o777).to.equal(0o700);
        expect(await settings.offer()).to.equal(undefined);
    });

    it('keeps comments, formatting and mode', async () => {
        fs.writeFileSync(file, COMMENTED);
        fs.chmodSync(file, 0o640);
        await settings.enableIdeMode();
        const expected = COMMENTED.replace('\t\t2]', '\t\t2],\n\t"ide": {\n\t\t"enabled": true\n\t}');
        expect(fs.readFileSync(file, 'utf8')).to.equal(expected);
        expect(fs.statSync(file).mode & 0o777).to.equal(0o640);
    });

    for (const [before, after] of [
        ['{}', '{\n    "ide": {\n        "enabled": true\n    }\n}'],
        ['{"a": {"b": 1}}', '{"a": {"b": 1}, "ide": { "enabled": true }}'],
        ['{"ide": {"hasSeenNudge": true}}', '{"ide": {"hasSeenNudge": true, "enabled": true}}'],
        ['{\n  "ide": {}\n}\n', '{\n  "ide": {\n    "enabled": true\n  }\n}\n'],
        ['{\n  "a": 1\n}\n', '{\n  "a": 1,\n  "ide": {\n    "enabled": true\n  }\n}\n']
    ]) {
        it(`makes ${JSON.stringify(after)} of ${JSON.stringify(before)}`, async () => {
            fs.writeFileSync(file, before);
            await settings.enableIdeMode();
            expect(fs.readFileSync(file, 'utf8')).to.equal(after);
        });
    }

    it('adds to what the user has set of the IDE already', async () => {
        fs.writeFileSync(file, '{\r\n  "ide": {\r\n    "hasSeenNudge": true\r\n  }\r\n}\r\n');
        await settings.enableIdeMode();
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
        await settings.enableIdeMode();
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
        expect(await settings.offer().catch((error: Error) => error.message)).to.include('line 3');
    });

    it('refuses a link that leads nowhere, and a folder', async () => {
        fs.symlinkSync(host.home('nowhere'), file);
        expect(await refusal()).to.include('could not be read');
        fs.unlinkSync(file);
        fs.mkdirSync(file);
        expect(await refusal()).to.include('does not contain a JSON object');
    });
});
