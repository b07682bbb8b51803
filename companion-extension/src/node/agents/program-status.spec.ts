// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ProgramStatus } from './program-status';

function base64(text: string | Buffer): string {
    return Buffer.from(text).toString('base64');
}

describe('The Program Status Protocol', () => {
    let program: ProgramStatus;

    beforeEach(() => {
        program = new ProgramStatus();
    });

    it('has a report replace its record with all of it', () => {
        program.take(`state=blocked:kind=permission:app=claude-code:msg=${base64('approve Update: a.ts')}`);
        expect(program.report).to.include({ state: 'blocked', kind: 'permission', app: 'claude-code', message: 'approve Update: a.ts' });
        program.take('state=working');
        expect(program.report).to.deep.equal({ state: 'working', kind: undefined, app: undefined, message: undefined });
    });

    it('shows the most urgent record, with the application of the part above it', () => {
        program.take('state=working:app=builder:id=build');
        program.take(`state=blocked:kind=question:id=build/deploy/eu:msg=${base64('Which region?')}`);
        program.take('state=done:id=test');
        expect(program.report).to.include({ state: 'blocked', app: 'builder', message: 'Which region?' });
        program.take('state=error:id=test');
        program.take('state=clear:id=build');
        expect(program.report?.state).to.equal('error');
        program.take('state=clear');
        expect(program.report).to.equal(undefined);
    });

    it('keeps the parts of a record whose name only begins alike', () => {
        program.take('state=working:id=build');
        program.take('state=blocked:id=builder');
        program.take('state=clear:id=build');
        expect(program.report?.state).to.equal('blocked');
    });

    it('ends work and questions with the program, and news when somebody looks', () => {
        for (const state of ['idle', 'working', 'blocked', 'done', 'error']) {
            program.take(`state=${state}:id=${state}`);
        }
        program.endPrograms();
        expect(program.report?.state).to.equal('error');
        program.take('state=working:id=working');
        program.markSeen();
        expect(program.report?.state).to.equal('working');
        program.endPrograms();
        expect(program.report).to.equal(undefined);
    });

    const fine = [
        'state=idle:progress=100:app=A_z.9+-',
        'future=1:alone:state=idle:=x',
        `state=idle:id=${Array(8).fill('a').join('/')}`,
        `state=idle:title=${base64('t'.repeat(192))}:msg=${base64('m'.repeat(2048))}`,
        `state=idle:msg=${base64('ab').replace(/=/g, '')}`,
        'state=working:state=idle',
        'state=idle:msg='
    ];
    for (const payload of fine) {
        it(`takes ${payload.slice(0, 60)}`, () => {
            program.take(payload);
            expect(program.report?.state).to.equal('idle');
        });
    }

    const broken = [
        '',
        '?',
        'state=',
        'state=sleeping',
        'state=Idle',
        'kind=permission',
        'state=blocked:kind=money',
        'state=idle:progress=101',
        'state=idle:progress=-1',
        'state=idle:progress=',
        'state=idle:app=',
        `state=idle:app=${'a'.repeat(33)}`,
        'state=idle:app=a b',
        'state=idle:id=',
        'state=idle:id=a//b',
        'state=idle:id=/a',
        'state=clear:id=../..!',
        `state=idle:id=${Array(9).fill('a').join('/')}`,
        `state=idle:id=${'a'.repeat(33)}`,
        `state=idle:id=${Array(5).fill('a'.repeat(31)).join('/')}`,
        `state=idle:title=${base64('t'.repeat(193))}`,
        `state=idle:msg=${base64('m'.repeat(2049))}`,
        `state=idle:msg=${base64('ü'.repeat(1025))}`,
        'state=idle:msg=not base64',
        'state=idle:msg=abcde',
        `state=idle:msg=${base64(Buffer.from([0xff, 0xfe]))}`,
        `state=idle:msg=${base64('\u001b[2J')}`,
        `state=idle:msg=${base64('two\nlines')}`,
        `state=idle:title=${base64('\u009bm')}`
    ];
    for (const payload of broken) {
        it(`drops ${JSON.stringify(payload.slice(0, 60))} whole`, () => {
            program.take('state=working');
            program.take(payload);
            expect(program.report?.state).to.equal('working');
        });
    }

    it('has no text turn what stands beside it, and none is longer than a line', () => {
        program.take(`state=done:msg=${base64('a\u202etxt.exe\u2066')}`);
        expect(program.report?.message).to.equal('atxt.exe');
        program.take(`state=done:msg=${base64('x'.repeat(2000))}`);
        expect(program.report?.message).to.have.length(301);
    });

    it('keeps a bounded number of records, the newest ones', () => {
        program.take('state=blocked:id=first');
        for (let count = 0; count < 256; count++) {
            program.take(`state=working:id=p${count}`);
        }
        expect(program.report?.state).to.equal('working');
    });

    it('knows the question whether reports are read', () => {
        expect(ProgramStatus.isQuery('?')).to.equal(true);
        expect(ProgramStatus.isQuery('state=idle')).to.equal(false);
    });
});
