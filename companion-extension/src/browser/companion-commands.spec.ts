// SPDX-License-Identifier: Apache-2.0

import './test/dom';
import { readdirSync } from 'fs';
import * as path from 'path';
import { expect } from 'chai';
import { CompanionCommands } from './companion-commands';

describe('The commands for embedders', () => {
    it('are those of all features, and none has the name of another one', async () => {
        const files = readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('-command-ids.js'));
        const modules = await Promise.all(files.map(file => import(path.join(__dirname, file)) as Promise<Record<string, object>>));
        const commands = modules
            .flatMap(module => Object.entries(module))
            .flatMap(([name, list]) => (name.endsWith('_COMMANDS') ? Object.entries(list) : []));
        expect(commands.length).to.be.greaterThan(50);
        expect(Object.entries(CompanionCommands)).to.have.deep.members(commands);
    });
});
