// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { readFileSync } from 'fs';
import * as path from 'path';
import { TheiaRelease } from './theia-release';

function release(version: string): TheiaRelease {
    return Object.assign(new TheiaRelease(), { version });
}

describe('The release of Theia', () => {
    for (const newer of ['1.76.0', '1.76.2', '1.77.0-next.3', '1.100.0', '2.0.0']) {
        it(`is untried if it is ${newer}`, () => {
            expect(release(newer).untried).to.deep.equal({ version: newer, newestTried: '1.76.0-next.10' });
        });
    }

    for (const tried of ['1.72.0', '1.75.0', '1.76.0-next.10', '1.76.0-next.28']) {
        it(`is no news if it is ${tried}`, () => {
            expect(release(tried).untried).to.equal(undefined);
        });
    }

    it('is no news here', () => {
        expect(new TheiaRelease().untried).to.equal(undefined);
    });

    it('is compared with the newest one of the table for embedders', () => {
        const table = readFileSync(path.resolve(__dirname, '../../../../docs/embedding.md'), 'utf8').split('<!-- /matrix -->')[0];
        const versions = [...table.matchAll(/^\| (\d\S+)/gm)].map(([, version]) => version);
        expect(versions.at(-1)).to.equal(new TheiaRelease().newestTried);
    });
});
