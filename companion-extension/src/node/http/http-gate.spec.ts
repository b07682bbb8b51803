// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { readFileSync } from 'fs';
import * as path from 'path';
import { GUARDS } from './http-gate';

describe('The guards of HttpGate', () => {
    const root = path.resolve(__dirname, '../../../..');
    const names = GUARDS.map(guard => guard.name);

    it('S4: are listed in docs/security.md, in the same order', () => {
        const text = readFileSync(path.join(root, 'docs', 'security.md'), 'utf8');
        const section = /## How the gate decides\n(.*?)\n## /s.exec(text)?.[1] ?? '';
        expect([...section.matchAll(/^\d+\. `(\w+)`/gm)].map(([, name]) => name)).to.deep.equal(names);
    });

    it('S4: are removed one at a time by guard-check, in the same order', () => {
        const text = readFileSync(path.join(root, 'configs', 'conformance', 'guards.json'), 'utf8');
        const files = JSON.parse(text) as Record<string, { guards: object }>;
        const guards = Object.keys(files['node/http/http-gate.js'].guards);
        expect(guards.filter(name => !name.includes(':'))).to.deep.equal(names);
    });
});
