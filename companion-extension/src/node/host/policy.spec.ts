// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { execFileSync } from 'child_process';
import * as fs from 'fs';
import * as path from 'path';
import { problemText } from '../../common/problem-text';
import { BoundHost, USER } from '../discovery/test/bound-host';
import { Policy, POLICY_VARIABLE } from './policy';
import { Problems } from './problems';

describe('The policy', () => {
    let host: BoundHost;
    let file: string;
    let problems: string[];

    beforeEach(() => {
        host = new BoundHost();
        file = host.policyFile;
        fs.mkdirSync(path.dirname(file));
    });

    afterEach(() => host.remove());

    function read(content?: unknown): Policy {
        if (content !== undefined) {
            fs.writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
        }
        const container = host.container();
        const policy = container.get(Policy);
        problems = container.get(Problems).of('').map(problemText);
        return policy;
    }

    function expectRefused(why: string | RegExp, content?: unknown): void {
        const policy = read(content);
        expect([policy.serves('qwen-code'), policy.allows('chat'), policy.isSet]).to.deep.equal([false, false, false]);
        expect(problems).to.have.length(1);
        expect(problems[0])
            .to.match(/^No CLI is served, because the policy .* cannot be used\. /)
            .and.to.match(new RegExp(why));
        expect(problems[0]).to.match(/restart the IDE\.$/);
    }

    it('is none without a file', () => {
        const policy = read();
        expect([policy.isSet, policy.serves('qwen-code'), policy.off, problems]).to.deep.equal([false, true, [], []]);
    });

    it('sets preferences, serves only the CLIs that it names, and switches things off', () => {
        const policy = read({ preferences: { 'companion.review.open': 'never' }, clis: ['qwen-code'], chat: false, uploads: true });
        expect(problems).to.deep.equal([]);
        expect(policy.preferences).to.deep.equal({ 'companion.review.open': 'never' });
        expect([policy.serves('qwen-code'), policy.serves('gemini-cli'), policy.off]).to.deep.equal([true, false, ['chat']]);
    });

    it('is that of the system before the one that the variable names, which must be there', () => {
        host.variables[POLICY_VARIABLE] = host.home('policy.json');
        expectRefused('ENOENT');
        fs.writeFileSync(host.home('policy.json'), '{"chat": false}');
        expect(read().off).to.deep.equal(['chat']);
        expect(read({ uploads: false }).off).to.deep.equal(['uploads']);
        fs.rmSync(file);
        host.variables[POLICY_VARIABLE] = 'policy.json';
        expectRefused('not absolute');
        host.variables[POLICY_VARIABLE] = '';
        expect(read().isSet).to.equal(false);
    });

    it('S25: counts only if it, and all on the way to it, belongs to others, and we cannot write there', () => {
        expect(read({ chat: false }).off).to.deep.equal(['chat']);
        for (const place of [file, path.dirname(file), host.folder]) {
            host.writable.add(place);
            expectRefused(`${place} can be changed by users of this IDE`);
            host.writable.clear();
        }
        host.uid = process.getuid?.();
        if (host.uid === 0) {
            fs.chownSync(file, USER, USER);
        }
        expectRefused(`can be changed by users of this IDE`);
    });

    it('S25: behind a link counts only if the link, its target and all on the way to both are safe', () => {
        const [link, target, folder] = [host.temporary('link'), host.temporary('real', 'policy.json'), host.temporary('real')];
        fs.mkdirSync(folder);
        fs.writeFileSync(target, '{"chat": false}');
        fs.symlinkSync(path.join('..', 'tmp', 'real', 'policy.json'), link);
        fs.symlinkSync(link, file);
        expect(read().off).to.deep.equal(['chat']);
        for (const place of [target, folder, host.temporaryFolder, path.dirname(file)]) {
            host.writable.add(place);
            expectRefused(`${place} can be changed`);
            host.writable.clear();
        }
        fs.rmSync(link);
        fs.symlinkSync(link, link);
        expectRefused('ELOOP');
    });

    it('S25: in a sticky folder of others counts, because nobody can put another one there', () => {
        fs.chmodSync(path.dirname(file), 0o1777);
        host.writable.add(path.dirname(file));
        expect(read({ chat: false }).off).to.deep.equal(['chat']);
    });

    it('S25: to root counts if it is root’s and nobody else may write, unless it is mounted read-only', () => {
        host.uid = 0;
        const isRoot = process.getuid?.() === 0;
        const places = [file, path.dirname(file)];
        fs.writeFileSync(file, '{"chat": false}');
        // Also under a umask that lets a group write.
        places.forEach(place => fs.chmodSync(place, 0o755));
        places.forEach(place => host.writable.add(place));
        if (!isRoot) {
            // All that this process makes is another user's.
            expectRefused('can be changed');
            return;
        }
        expect(read().off).to.deep.equal(['chat']);
        for (const place of places) {
            for (const mode of [0o020, 0o002]) {
                const before = fs.statSync(place).mode & 0o777;
                fs.chmodSync(place, before | mode);
                expectRefused(`${place} can be changed`);
                host.writable.delete(place);
                expect(read().off, 'read-only').to.deep.equal(['chat']);
                host.writable.add(place);
                fs.chmodSync(place, before);
            }
        }
        fs.chownSync(file, USER, USER);
        expectRefused('can be changed');
    });

    it('S25: is judged by what the system lets another user do, its groups included', function () {
        if (process.getuid?.() !== 0) {
            // Only root can become another user: the cases above have this one.
            expect(process.getuid?.()).not.to.equal(undefined);
            return;
        }
        const program = `
            const { PolicyFile } = require(${JSON.stringify(path.join(__dirname, 'policy-file'))});
            const { HostEnvironment } = require(${JSON.stringify(path.join(__dirname, 'host-environment'))});
            process.setgroups([777]);
            process.setgid(${USER});
            process.setuid(${USER});
            const host = Object.create(HostEnvironment.prototype, { uid: { value: process.getuid() } });
            try {
                console.log(new PolicyFile(process.argv[1], host).read());
            } catch (error) {
                console.log(error.fault ? error.fault.code : error.message);
            }`;
        const readAsUser = (): string =>
            execFileSync(process.execPath, ['-r', 'reflect-metadata', '-e', program, file], { encoding: 'utf8' }).trim();
        fs.chmodSync(host.folder, 0o755);
        fs.writeFileSync(file, '{}', { mode: 0o644 });
        expect(readAsUser()).to.equal('{}');
        fs.chownSync(file, 0, 777);
        fs.chmodSync(file, 0o664);
        expect(readAsUser(), 'one of its groups may write').to.equal('policy-open');
        fs.chmodSync(file, 0o640);
        fs.chmodSync(path.dirname(file), 0o757);
        expect(readAsUser(), 'its folder').to.equal('policy-open');
        fs.chmodSync(path.dirname(file), 0o755);
        expect(readAsUser()).to.equal('{}');
        fs.chmodSync(file, 0o600);
        expect(readAsUser(), 'unreadable').to.match(/EACCES/);
    });

    it('that is a folder, or behind a file, does not go unnoticed', () => {
        fs.mkdirSync(file);
        expectRefused('It is no file');
        fs.rmdirSync(file);
        fs.symlinkSync('policy.json', file);
        expectRefused('ELOOP');
    });

    for (const [what, content, why] of [
        ['text that is no JSON', '{"chat": false', 'It is no JSON object'],
        ['JSON that is no object', '[]', 'It is no JSON object'],
        ['an unknown key', { chats: false }, '"chats"'],
        ['an unknown preference', { preferences: { 'companion.review.opens': 'never' } }, '"companion.review.opens"'],
        ['a name of every object', { preferences: { toString: true } }, '"toString"'],
        ['a switch of another type', { chat: 'no' }, '"chat"'],
        ['CLIs that are no list', { clis: { 'gemini-cli': false } }, '"clis"'],
        ['preferences that are no object', { preferences: [] }, '"preferences"'],
        ['a boolean in quotes', { preferences: { 'companion.enabled': 'true' } }, '"companion.enabled"'],
        ['a choice that is none', { preferences: { 'companion.review.open': 'sometimes' } }, '"companion.review.open"'],
        ['a pattern that shares again', { preferences: { 'companion.context.exclude': ['!**/.env'] } }, '"companion.context.exclude"'],
        ['a pattern that is none', { preferences: { 'companion.context.exclude': ['[:'] } }, '"companion.context.exclude"'],
        ['an agent with a path', { preferences: { 'companion.agents': ['/bin/agent'] } }, '"companion.agents"'],
        ['more than 64 KiB', `{${' '.repeat(64 * 1024)}}`, 'more than 64 KiB']
    ] as const) {
        it(`with ${what} is broken, and serves no CLI`, () => expectRefused(why, content));
    }

    it('of the example is one that counts', () => {
        const example = path.join(__dirname, '..', '..', '..', '..', 'examples', 'custom-ide', 'policy.json');
        expect(read(fs.readFileSync(example, 'utf8')).isSet).to.equal(true);
        expect(problems).to.deep.equal([]);
    });

    it('may name agents, and patterns in the home folder', () => {
        host.uid = USER;
        const policy = read({
            preferences: { 'companion.agents': ['a', { command: 'b', name: 'B' }], 'companion.context.exclude': ['~/keys/**'] }
        });
        expect(problems).to.deep.equal([]);
        expect(policy.withholds(host.home('keys', 'a'), [])).to.equal(true);
        expect(policy.withholds(host.home('a'), [])).to.equal(false);
    });
});
