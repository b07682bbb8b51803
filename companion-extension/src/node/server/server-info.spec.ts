// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { readFileSync } from 'fs';
import * as path from 'path';
import { SERVER_INFO } from './cli-server';

describe('SERVER_INFO', () => {
    const text = readFileSync(path.resolve(__dirname, '../../../package.json'), 'utf8');
    const manifest = JSON.parse(text) as { name: string; version: string; dependencies: Record<string, string> };

    it("is the package's name and version", () => {
        const { name, version } = manifest;
        expect(SERVER_INFO).to.deep.equal({ name, version });
    });

    it('S19: the SDK behind it is one exact version, 1.26 or newer, which fixed CVE-2026-25536', () => {
        const [, minor] = /^1\.(\d+)\.\d+$/.exec(manifest.dependencies['@modelcontextprotocol/sdk']) ?? [];
        expect(Number(minor)).to.be.at.least(26);
    });
});
