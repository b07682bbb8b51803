// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import '@theia/core/lib/browser';
import { ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { SecondaryWindowHandler } from '@theia/core/lib/browser/secondary-window-handler';
import { Event } from '@theia/core/lib/common/event';
import { expect } from 'chai';
import { FakeServices } from '../test/fake-services';
import { AnswerGuard } from './answer-guard';
import { HeldKeys } from './held-keys';

describe('A key that is held down', () => {
    let keys: HeldKeys;
    let guard: AnswerGuard;
    let passed: string[];
    let isAltGraph: boolean;

    beforeEach(() => {
        passed = [];
        const services = new FakeServices();
        services.bindReal(AnswerGuard);
        services.bind(SecondaryWindowHandler, { onDidAddWidget: Event.None });
        services.bind(ContextKeyService, { createKey: () => ({ set: (value: boolean) => (isAltGraph = value) }) });
        keys = services.create(HeldKeys);
        guard = services.get(AnswerGuard);
        keys.onStart();
        document.addEventListener('keydown', listen);
    });

    afterEach(() => {
        keys.onStop();
        document.removeEventListener('keydown', listen);
    });

    function listen(event: KeyboardEvent): void {
        passed.push(event.code);
    }

    function press(code: string, repeat = false, modifierAltGraph = false): void {
        send('keydown', { code, key: code, repeat, modifierAltGraph });
    }

    function send(type: 'keydown' | 'keyup', init: object): void {
        document.body.dispatchEvent(new window.KeyboardEvent(type, { ...init, bubbles: true, cancelable: true }));
    }

    it('answers once: its repetitions reach nothing', () => {
        press('F9');
        guard.recordAnswer();
        press('F9', true);
        press('F9', true);
        expect(passed).to.deep.equal(['F9']);
    });

    it('that answered on a button does not go on into what has the keyboard then', () => {
        press('Enter');
        guard.recordAnswer();
        press('Enter', true);
        press('Enter');
        expect(passed).to.deep.equal(['Enter']);
    });

    it('that answered types again once the user has had a moment to look', () => {
        press('Enter');
        guard.recordAnswer();
        performance.now = () => Number.MAX_SAFE_INTEGER;
        press('Enter');
        Reflect.deleteProperty(performance, 'now');
        expect(passed).to.deep.equal(['Enter', 'Enter']);
    });

    it('is known to come with AltGr before its key binding is asked', () => {
        const known: boolean[] = [];
        const ask = (): unknown => known.push(isAltGraph);
        document.addEventListener('keydown', ask);
        press('Backspace', false, true);
        press('Backspace');
        document.removeEventListener('keydown', ask);
        expect(known).to.deep.equal([true, false]);
    });

    it('answers nothing that comes onto the screen meanwhile, until it is released; its first press still counts', async () => {
        press('F9');
        const pressed = performance.now();
        await new Promise(resolve => setTimeout(resolve, 2));
        press('F9', true);
        expect([guard.takesAnswer(pressed), guard.takesAnswer()]).to.deep.equal([true, false]);
        press('F9', true);
        expect(guard.takesAnswer()).to.equal(false);
        send('keyup', { code: 'F9' });
        expect(guard.takesAnswer()).to.equal(true);
    });

    it('is let through if it answers nothing', () => {
        press('KeyA');
        press('KeyA', true);
        press('KeyA', true);
        expect(passed).to.deep.equal(['KeyA', 'KeyA', 'KeyA']);
    });

    it('after an answer, all other keys pass', () => {
        press('F9');
        guard.recordAnswer();
        press('KeyA');
        press('KeyB', true);
        expect(passed).to.deep.equal(['F9', 'KeyA', 'KeyB']);
    });
});
