// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalWidget, TerminalWidgetOptions } from '@theia/terminal/lib/browser/base/terminal-widget';
import { ShellTerminalProfile } from '@theia/terminal/lib/browser/shell-terminal-profile';
import { DefaultProfileStore, DefaultTerminalProfileService, TerminalProfile } from '@theia/terminal/lib/browser/terminal-profile-service';
import { CliTerminalProfile, keepDefault, registerBehind } from './cli-terminal-profile';

/** Nothing here makes a terminal. */
const NO_TERMINALS = {} as TerminalService;

describe('The terminal profile of a CLI', () => {
    let ofUser: DefaultProfileStore;
    let contributed: DefaultProfileStore;
    let profiles: DefaultTerminalProfileService;
    let launched: TerminalWidgetOptions[];
    let cli: TerminalProfile;

    beforeEach(() => {
        ofUser = new DefaultProfileStore();
        contributed = new DefaultProfileStore();
        profiles = new DefaultTerminalProfileService(ofUser, contributed);
        launched = [];
        cli = new CliTerminalProfile(NO_TERMINALS, {}, async options => {
            launched.push(options);
            return {} as TerminalWidget;
        });
    });

    const shell = (): TerminalProfile => new ShellTerminalProfile(NO_TERMINALS, {});
    const defaultId = (): string | undefined => profiles.all.find(([, profile]) => profile === profiles.defaultProfile)?.[0];

    it("comes after Theia's own, even if that one is registered later, and is not the default", async () => {
        const registered = registerBehind(contributed, 'Qwen Code', cli);
        expect(profiles.all).to.deep.equal([]);
        contributed.registerTerminalProfile('SHELL', shell());
        await registered;
        await registerBehind(contributed, 'Gemini CLI', cli);
        ofUser.registerTerminalProfile('zsh', shell());
        expect(profiles.all.map(([id]) => id)).to.deep.equal(['SHELL', 'Qwen Code', 'Gemini CLI', 'zsh']);
        expect(defaultId()).to.equal('SHELL');
    });

    it("does not become the default when the user's profile beside it is removed, unless the user chose it", async () => {
        contributed.registerTerminalProfile('SHELL', shell());
        await registerBehind(contributed, 'Qwen Code', cli);
        for (const chosen of [undefined, 'Qwen Code']) {
            ofUser.registerTerminalProfile('zsh', shell());
            profiles.setDefaultProfile('zsh');
            ofUser.unregisterTerminalProfile('zsh');
            expect(defaultId(), "Theia's own choice").to.equal('Qwen Code');
            keepDefault(profiles, chosen);
            expect(defaultId()).to.equal(chosen ?? 'SHELL');
        }
    });

    it('starts the CLI in the folder that the user chose', async () => {
        await (cli as CliTerminalProfile).modify({ cwd: '/ws' }).start();
        expect(launched).to.deep.equal([{ cwd: '/ws' }]);
    });
});
