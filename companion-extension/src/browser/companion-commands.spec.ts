// SPDX-License-Identifier: Apache-2.0

import './test/dom';
import { readdirSync } from 'fs';
import * as path from 'path';
import { expect } from 'chai';
import { CompanionCommands } from './companion-commands';

describe('The commands', () => {
    it('of all features have names and ids of their own, and embedders get them by these names', async () => {
        const files = readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('-command-ids.js'));
        const modules = await Promise.all(files.map(file => import(path.join(__dirname, file)) as Promise<Record<string, object>>));
        const lists = modules.flatMap(module => Object.entries(module)).filter(([name]) => name.endsWith('_COMMANDS'));
        const commands = lists.flatMap(([, list]) => Object.entries<{ id?: string }>(list as Record<string, { id?: string }>));
        const ids = commands.flatMap(([, { id }]) => id ?? []);
        expect(commands.length).to.be.greaterThan(50);
        expect(new Set(ids).size).to.equal(ids.length);
        expect(new Set(commands.map(([name]) => name)).size).to.equal(commands.length);
        expect(commands).to.deep.include.members(Object.entries(CompanionCommands));
    });
});
