// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { DaemonStatus } from '../../common/qwen-daemon-protocol';
import { Locality } from './locality';

describe('Locality', () => {
    const status: DaemonStatus = {
        sequence: 1,
        state: 'connected',
        kind: 'external',
        host: 'build:4170',
        workspaceCwd: '/srv/project',
        version: '0.24.4',
        warnings: []
    };

    it('names host, workspace and kind of the daemon', () => {
        expect(Locality.place(status)).to.equal('build:4170 · /srv/project · external');
        expect(Locality.place({ ...status, kind: 'managed' })).to.match(/started by this IDE$/);
        expect(Locality.place({ sequence: 1, state: 'idle', warnings: [] })).to.equal('');
    });

    it('says where files, MCP servers, skills and credentials are', () => {
        const text = Locality.explanation(status);
        for (const word of ['Files', 'MCP', 'skills', 'credentials', 'build:4170']) {
            expect(text).to.contain(word);
        }
    });

    it('gives problem and warnings', () => {
        const details = Locality.details({
            ...status,
            state: 'refused',
            problem: { code: 'workspace-mismatch', requested: '/work', offered: ['/srv/project'] },
            warnings: ['unencrypted']
        });
        expect(details).to.deep.equal([
            'Qwen daemon: cannot be used',
            'build:4170 · /srv/project · external',
            'Qwen Code 0.24.4',
            'The daemon works in /srv/project, not in this workspace. Start it with --workspace "/work", or open its folder here.',
            'Prompts, answers and the token travel to this daemon unencrypted. Use https.'
        ]);
    });
});
