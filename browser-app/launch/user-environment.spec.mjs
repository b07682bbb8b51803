// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { withoutNpm } from './user-environment.mjs';

const PROJECT = '/users/me/companion';
const NPMS_PATH = [
    `${PROJECT}/browser-app/node_modules/.bin`,
    `${PROJECT}/node_modules/.bin`,
    '/users/me/node_modules/.bin',
    '/users/node_modules/.bin',
    '/node_modules/.bin',
    '/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin'
].join(':');

describe('the environment of the user', () => {
    it('has nothing that npm adds for a script', () => {
        const user = { PATH: '/users/me/bin:/usr/bin', HOME: '/users/me', EDITOR: 'emacs', OPENAI_API_KEY: 'mine' };
        const inScript = {
            ...user,
            PATH: `${NPMS_PATH}:${NPMS_PATH}:${user.PATH}`,
            npm_lifecycle_event: 'start',
            npm_config_user_agent: 'npm',
            NPM_CONFIG_LOGLEVEL: 'notice',
            INIT_CWD: PROJECT,
            NODE: '/usr/bin/node',
            COLOR: '1',
            _: '/usr/bin/npm'
        };
        expect(withoutNpm(inScript, PROJECT)).to.deep.equal(user);
    });

    it("keeps an entry of the user's own that npm would add as well", () => {
        const own = `/users/me/bin:/users/me/node_modules/.bin:/usr/bin`;
        const { PATH } = withoutNpm({ PATH: `${NPMS_PATH}:${own}`, npm_lifecycle_event: 'start' }, PROJECT);
        expect(PATH).to.equal(own);
    });

    it('has no editor that is only the default of npm', () => {
        expect(withoutNpm({ EDITOR: 'vi', npm_lifecycle_event: 'start' }, PROJECT)).to.deep.equal({});
    });

    it('is left alone if npm is not running', () => {
        const environment = { PATH: '/node_modules/.bin:/usr/bin', COLOR: '1', EDITOR: 'vi' };
        expect(withoutNpm(environment, PROJECT)).to.deep.equal(environment);
    });
});
