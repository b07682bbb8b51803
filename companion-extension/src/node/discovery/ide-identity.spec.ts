// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import { Container } from '@theia/core/shared/inversify';
import { ApplicationPackage } from '@theia/core/shared/@theia/application-package';
import { ApplicationIdeIdentity } from './ide-identity';
import { TestHost } from './test/test-host';

describe('ApplicationIdeIdentity', () => {
    let host: TestHost;

    beforeEach(() => {
        host = new TestHost();
    });

    afterEach(() => host.remove());

    function identity(packageJson: string | undefined): ApplicationIdeIdentity {
        if (packageJson !== undefined) {
            fs.writeFileSync(host.home('package.json'), packageJson);
        }
        const container = new Container();
        container.bind(ApplicationPackage).toConstantValue(new ApplicationPackage({ projectPath: host.homeFolder }));
        container.bind(ApplicationIdeIdentity).toSelf();
        return container.get(ApplicationIdeIdentity);
    }

    it('D12 D13: is theia, with the name of the application', () => {
        const text = JSON.stringify({ theia: { frontend: { config: { applicationName: 'My IDE' } } } });
        expect(identity(text)).to.include({ name: 'theia', displayName: 'My IDE' });
    });

    for (const [what, text] of [
        ['names itself not', '{}'],
        ['has an empty name', JSON.stringify({ theia: { frontend: { config: { applicationName: '  ' } } } })],
        ['has a name that is no text', JSON.stringify({ theia: { frontend: { config: { applicationName: 1 } } } })],
        ['has no package.json', undefined],
        ['has a broken package.json', '{']
    ]) {
        it(`D13: is Eclipse Theia if the application ${what}`, () => {
            expect(identity(text).displayName).to.equal('Eclipse Theia');
        });
    }
});
