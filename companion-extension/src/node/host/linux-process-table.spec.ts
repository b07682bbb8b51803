// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { spawn } from 'child_process';
import { once } from 'events';
import * as fs from 'fs';
import * as net from 'net';
import * as path from 'path';
import { TestHost } from '../discovery/test/test-host';
import { LinuxProcessTable } from './linux-process-table';

describe('LinuxProcessTable', () => {
    describe('peerOf', () => {
        let server: net.Server;
        let port: number;

        beforeEach(async () => {
            server = net.createServer().listen(0, '127.0.0.1');
            await once(server, 'listening');
            port = (server.address() as net.AddressInfo).port;
        });

        afterEach(() => server.close());

        const onLinux = process.platform === 'linux' ? it : xit;
        onLinux('finds the pid and the folder of another process', async () => {
            const code = `require('net').connect(${port}, '127.0.0.1').on('close', () => process.exit())`;
            const child = spawn(process.execPath, ['-e', code], { cwd: '/' });
            const [socket] = (await once(server, 'connection')) as [net.Socket];
            const peer = await new LinuxProcessTable().peerOf(port, socket.remotePort ?? 0);
            expect(peer).to.include({ pid: child.pid, folder: '/' });
            expect(peer?.startTime).to.match(/^\d+$/);
            socket.destroy();
            await once(child, 'exit');
        });

        describe('while the CLI starts another program', () => {
            let host: TestHost;

            beforeEach(() => {
                host = new TestHost();
                fs.mkdirSync(host.temporary('proc', 'net'), { recursive: true });
                const ends = '0100007F:0007 0100007F:0009';
                fs.writeFileSync(host.temporary('proc', 'net', 'tcp'), `0: ${ends} 01 00000000:00000000 00:00000000 00000000 0 0 4711 1`);
                run(100, 1, 'socket:[1]');
                run(110, 100, 'socket:[4711]');
            });

            afterEach(() => host.remove());

            function run(pid: number, parent: number, descriptor: string): void {
                const folder = host.temporary('proc', String(pid));
                fs.mkdirSync(path.join(folder, 'fd'), { recursive: true });
                fs.symlinkSync(descriptor, path.join(folder, 'fd', '3'));
                fs.writeFileSync(path.join(folder, 'stat'), `${pid} (a) S ${parent} 1 1 1 1 ${'0 '.repeat(13)}${pid}0 0`);
            }

            it('finds the CLI, not a child that still holds what it holds', async () => {
                run(111, 110, 'socket:[4711]');
                run(112, 111, 'socket:[4711]');
                const peer = await new LinuxProcessTable(host.temporary('proc')).peerOf(9, 7);
                expect(peer).to.include({ pid: 110, startTime: '1100' });
            });

            it('finds the CLI also if such a child has ended', async () => {
                run(111, 110, 'socket:[4711]');
                fs.rmSync(host.temporary('proc', '111', 'stat'));
                expect(await new LinuxProcessTable(host.temporary('proc')).peerOf(9, 7)).to.include({ pid: 110 });
            });
        });

        it('is undefined if nobody holds the other end, or if there is no process file system', async () => {
            expect(await new LinuxProcessTable().peerOf(port, 1)).to.equal(undefined);
            expect(await new LinuxProcessTable('/nowhere').peerOf(port, 1)).to.equal(undefined);
        });
    });

    describe('shellOf', () => {
        let host: TestHost;
        let processes: LinuxProcessTable;

        beforeEach(() => {
            host = new TestHost();
            processes = new LinuxProcessTable(host.temporary('proc'));
        });

        afterEach(() => host.remove());

        function run(pid: number, parent: number, group: number, foreground: number, state = 'S'): void {
            const folder = path.join(host.temporary('proc'), String(pid));
            fs.mkdirSync(folder, { recursive: true });
            fs.writeFileSync(
                path.join(folder, 'stat'),
                `${pid} (a (b) c) ${state} ${parent} ${group} 1 1 ${foreground} ${'0 '.repeat(13)}99 0`
            );
        }

        it('finds the program in the foreground of a shell: by its first process, also if that has ended', async () => {
            run(100, 1, 100, 110);
            expect(await processes.foregroundOf(100)).to.deep.equal({ pid: 110, command: [], below: [] });
            run(110, 100, 110, 110);
            fs.writeFileSync(path.join(host.temporary('proc'), '110', 'cmdline'), 'node\0/usr/bin/qwen\0');
            expect(await processes.foregroundOf(100)).to.deep.equal({ pid: 110, command: ['node', '/usr/bin/qwen'], below: [] });
            run(100, 1, 100, 100);
            expect((await processes.foregroundOf(100))?.pid).to.equal(100);
            expect(await processes.foregroundOf(7)).to.equal(undefined);
            run(100, 1, 100, -1);
            expect(await processes.foregroundOf(100)).to.equal(undefined);
        });

        it('finds the shell also where the system names no terminal (gVisor), but not of what was stopped', async () => {
            run(100, 1, 100, 0);
            run(110, 100, 110, 0);
            expect(await processes.shellOf(110, new Set([100]))).to.equal(100);
            run(110, 100, 110, 0, 'T');
            expect(await processes.shellOf(110, new Set([100]))).to.equal(undefined);
            run(100, 1, 100, 100);
            run(110, 100, 110, -1);
            expect(await processes.shellOf(110, new Set([100])), 'without a terminal of its own').to.equal(undefined);
        });

        it('finds what reads the same keys below the program in the foreground, the outermost first', async () => {
            const input = (pid: number, target: string, ...children: number[]): void => {
                const folder = path.join(host.temporary('proc'), `${pid}`);
                fs.mkdirSync(path.join(folder, 'fd'), { recursive: true });
                fs.mkdirSync(path.join(folder, 'task', `${pid}`), { recursive: true });
                fs.symlinkSync(target, path.join(folder, 'fd', '0'));
                fs.writeFileSync(path.join(folder, 'task', `${pid}`, 'children'), `${children.join(' ')} `);
                fs.writeFileSync(path.join(folder, 'cmdline'), `program${pid}\0`);
            };
            run(100, 1, 100, 110);
            [110, 111, 112, 114].forEach(pid => run(pid, 110, 110, 110));
            run(113, 110, 113, 110);
            input(110, '/dev/pts/1', 111, 112, 113);
            input(111, '/dev/null');
            input(112, '/dev/pts/1', 114);
            input(113, '/dev/pts/1');
            input(114, '/dev/pts/1', 110);
            expect((await processes.foregroundOf(100))?.below?.map(({ command }) => command[0]).slice(0, 2)).to.deep.equal([
                'program112',
                'program114'
            ]);
        });

        it('scans all processes, and reads the command line of one again once it runs another program', async () => {
            const write = (name: string, command: string, state = 'S'): void => {
                const folder = path.join(host.temporary('proc'), '110');
                fs.mkdirSync(folder, { recursive: true });
                fs.writeFileSync(path.join(folder, 'stat'), `110 (${name}) ${state} 100 110 1 1 110 ${'0 '.repeat(13)}99 0`);
                fs.writeFileSync(path.join(folder, 'cmdline'), `${command}\0`);
            };
            const commands = async (uid?: number): Promise<unknown> => (await processes.scan(uid)).map(({ command }) => command[0]);
            write('bash', 'bash');
            expect(await commands()).to.deep.equal(['bash']);
            write('claude', 'claude');
            expect(await commands()).to.deep.equal(['claude']);
            write('claude', 'claude', 'Z');
            expect(await commands()).to.deep.equal([]);
            write('other', 'other');
            expect(await commands(-1), 'of another user').to.deep.equal([undefined]);
        });

        it('finds the shell of a process in the foreground, also through launchers', async () => {
            run(100, 1, 100, 110);
            run(110, 100, 110, 110);
            run(111, 110, 110, 110);
            expect(await processes.shellOf(110, new Set([7, 100]))).to.equal(100);
            expect(await processes.shellOf(111, new Set([7, 100]))).to.equal(100);
        });

        it('S23: finds none if the keys would go to something else', async () => {
            run(100, 1, 100, 100);
            run(110, 100, 110, 100, 'T');
            expect(await processes.shellOf(110, new Set([100])), 'stopped by Ctrl+Z').to.equal(undefined);
            run(120, 1, 120, 120);
            expect(await processes.shellOf(120, new Set([100])), 'of another terminal').to.equal(undefined);
            run(130, 100, 130, 130, 'Z');
            expect(await processes.shellOf(130, new Set([100])), 'ended').to.equal(undefined);
            expect(await processes.shellOf(140, new Set([100])), 'gone').to.equal(undefined);
            expect(await processes.shellOf(100, new Set([100])), 'the shell itself').to.equal(undefined);
        });

        it('ends if processes name each other as parents', async () => {
            run(1, 2, 1, 1);
            run(2, 1, 1, 1);
            expect(await processes.shellOf(1, new Set([3]))).to.equal(undefined);
        });
    });
});
