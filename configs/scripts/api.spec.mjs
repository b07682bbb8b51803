// SPDX-License-Identifier: Apache-2.0

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { API_FILE, describeApi, readContract, readInternals, SIDES } from './api.mjs';
import { ROOT } from './script.mjs';

const CHANGED = `
What theia-cli-companion exports is not what configs/conformance/api.txt says. If that is meant, run "npm run api" and commit the file; a change
of the contract also needs a line in CHANGELOG.md, and docs/embedding.md.`;

describe('what products can import', () => {
    let contract;

    before(() => (contract = readContract()));

    it('is what was decided', () => {
        expect(describeApi().split('\n'), CHANGED).to.deep.equal(readFileSync(API_FILE, 'utf8').split('\n'));
    });

    it('says of each part of the contract what it gives, and since when', () => {
        const all = contract.flatMap(({ exported }) => exported);
        expect(all.filter(({ text, since }) => !text || !/^\d+\.\d+$/.test(since)).map(({ name }) => name)).to.deep.equal([]);
    });

    it('is named by the guide for embedders, or is a type of something there', () => {
        const guide = readFileSync(join(ROOT, 'docs', 'embedding.md'), 'utf8');
        const lists = [...guide.matchAll(/^- of `theia-cli-companion\/lib\/(common|node|browser)`:(.*(?:\n {2}.*)*)/gm)];
        const named = new Map(lists.map(([, side, text]) => [side, [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name)]));
        const declared = contract.flatMap(({ exported }) => exported.flatMap(({ declarations }) => declarations));
        const isUsed = name =>
            declared.some(declaration => declaration.name?.text !== name && new RegExp(`\\b${name}\\b`).test(declaration.getText()));
        for (const { side, exported } of contract) {
            const names = exported.map(({ name }) => name);
            expect(
                named.get(side).filter(name => !names.includes(name)),
                side
            ).to.deep.equal([]);
            const others = exported.filter(({ name }) => !named.get(side).includes(name));
            expect(
                others.filter(({ name, isValue }) => isValue || !isUsed(name)).map(({ name }) => name),
                side
            ).to.deep.equal([]);
        }
    });

    it('has every service below `internal`', () => {
        const services = SIDES.flatMap(readInternals);
        expect(services.length).to.be.greaterThan(100);
        expect(services.filter(({ isExported }) => !isExported).map(({ module, name }) => `${module}: ${name}`)).to.deep.equal([]);
    });
});
