// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { PreferenceInspection, PreferenceScope } from '@theia/core/lib/common/preferences';
import { backendPreferences, companionPreferenceSchema, isCompanionEnabled } from './companion-preferences';

describe('companionPreferenceSchema', () => {
    /** Each with the reason for which a cloned repository, which brings its workspace settings, may set it. Whatever is new is not in it. */
    const WORKSPACE_MAY_SET: Record<string, string> = {
        'companion.enabled': 'isCompanionEnabled: it can only switch the companion off',
        'companion.context.share': 'ContextPrivacy: it can only say no',
        'companion.context.exclude': 'ContextPrivacy: it can only add patterns',
        'companion.review.open': 'how a diff opens; a proposal is answered by the user all the same',
        'companion.review.onTabClose': 'whether a closed tab rejects or keeps waiting: neither accepts',
        'companion.review.afterAccept': 'whether a file that the user accepted is shown'
    };

    it('S18: what is not known to be harmless counts in the user’s own settings only: a repository brings workspace settings', () => {
        const { properties } = companionPreferenceSchema;
        const settable = Object.keys(properties).filter(name => properties[name].scope !== PreferenceScope.User);
        expect(settable).to.have.members(Object.keys(WORKSPACE_MAY_SET));
        const single = ['companion.qwen.askBeforeEdits', 'companion.claude.askBeforeEdits', 'companion.container.loopback'];
        for (const name of ['companion.review.outsideWorkspace', ...single]) {
            expect(settable, name).not.to.include(name);
        }
    });

    it('choices are shown in words, and the whole sentence is beside the one that is chosen', () => {
        const { enum: values, enumItemLabels, enumDescriptions } = companionPreferenceSchema.properties['companion.review.open'];
        expect(values).to.deep.equal(['reveal', 'background', 'never']);
        expect(enumItemLabels).to.deep.equal(['In front', 'As a tab behind the current one', 'Not at all']);
        expect(enumDescriptions?.[0]).to.equal('In front. The keyboard stays where it is.');
    });

    it('S18: the backend follows the user and the application, not the workspace: Theia does not enforce the scope', () => {
        const values: Record<string, PreferenceInspection<string | boolean>> = {
            'companion.review.outsideWorkspace': {
                preferenceName: 'companion.review.outsideWorkspace',
                defaultValue: 'refuse',
                globalValue: undefined,
                workspaceValue: 'notice',
                workspaceFolderValue: 'notice',
                value: 'notice'
            },
            'companion.qwen.askBeforeEdits': {
                preferenceName: 'companion.qwen.askBeforeEdits',
                defaultValue: false,
                globalValue: true,
                workspaceValue: false,
                workspaceFolderValue: undefined,
                value: false
            }
        };
        const told = backendPreferences({ inspect: <T>(name: string) => values[name] as PreferenceInspection<T> | undefined } as never);
        expect(told).to.include({ 'companion.review.outsideWorkspace': 'refuse', 'companion.qwen.askBeforeEdits': true });
    });

    it('S18: the companion is on only if both the user, or else the application, and the workspace agree', () => {
        const isOn = (values: Partial<PreferenceInspection<unknown>>): boolean =>
            isCompanionEnabled({ inspect: (preferenceName: string) => ({ preferenceName, ...values }) } as never);
        expect(isOn({})).to.equal(true);
        expect(isOn({ defaultValue: true, globalValue: true, workspaceValue: true, value: true })).to.equal(true);
        expect(isOn({ defaultValue: true, workspaceValue: false, value: false })).to.equal(false);
        expect(isOn({ globalValue: false, workspaceValue: true, value: true }), 'a repository switches it on').to.equal(false);
        expect(isOn({ defaultValue: false, workspaceValue: true, value: true }), 'the application has it off').to.equal(false);
        expect(isOn({ defaultValue: false, globalValue: true, value: true })).to.equal(true);
        expect(isOn({ globalValue: true, sessionValue: false, value: false })).to.equal(false);
        expect(isOn({ defaultValue: true, globalValue: 'false' })).to.equal(false);
        expect(isOn({ defaultValue: true, workspaceValue: null })).to.equal(false);
    });

    it('begins with whether CLIs connect, then sharing, reviews, what waits, changes, how CLIs start, single CLIs, and at the end containers', () => {
        const groups = Object.keys(companionPreferenceSchema.properties).map(name => name.split('.')[1]);
        expect([...new Set(groups)]).to.deep.equal([
            'enabled',
            'context',
            'review',
            'agentStatus',
            'agents',
            'notifications',
            'changes',
            'run',
            'qwen',
            'claude',
            'container'
        ]);
    });

    it('S18: no preference holds an address, a command, a path of ours or a token', () => {
        const names = Object.keys(companionPreferenceSchema.properties).join(' ');
        expect(names).not.to.match(/port|host|url|token|command|path|env|file/i);
    });
});
