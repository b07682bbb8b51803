// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { KeybindingRegistry } from '@theia/core/lib/browser';
import { ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { SecondaryWindowHandler } from '@theia/core/lib/browser/secondary-window-handler';
import { CorePreferences } from '@theia/core/lib/common/core-preferences';
import { Event } from '@theia/core/lib/common/event';
import { expect } from 'chai';
import { CompanionCommands } from '../companion-commands';
import { FakeServices } from '../test/fake-services';
import { AnswerGuard } from './answer-guard';
import { HeldKeys } from './held-keys';
import { ReviewFocus } from './review-focus';
import { WaitingReviews } from './waiting-reviews';

describe('A key that is held down', () => {
    let keys: HeldKeys;
    let guard: AnswerGuard;
    let isWaiting: boolean;
    let passed: string[];
    let isAltGraph: boolean;

    beforeEach(() => {
        isWaiting = true;
        passed = [];
        const services = new FakeServices();
        services.bindReal(AnswerGuard);
        // F9 accepts.
        const matchKeybinding = ([key]: Array<{ key?: { code: string } }>): unknown =>
            key.key?.code === 'F9' ? { kind: 'full', binding: { command: CompanionCommands.ACCEPT_REVIEW.id } } : undefined;
        services.bind(KeybindingRegistry, { matchKeybinding });
        services.bind(CorePreferences, { 'keyboard.dispatch': 'code' });
        services.bind(SecondaryWindowHandler, { onDidAddWidget: Event.None });
        services.bind(ContextKeyService, { createKey: () => ({ set: (value: boolean) => (isAltGraph = value) }) });
        services.bind(ReviewFocus, { active: undefined });
        services.bind(WaitingReviews, {
            get any() {
                return isWaiting;
            }
        });
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
        const init = { code, key: code, repeat, modifierAltGraph, bubbles: true, cancelable: true };
        const event = new window.KeyboardEvent('keydown', init);
        document.body.dispatchEvent(event);
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

    it('is let through if it answers nothing, also while a proposal waits', () => {
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

    it('is let through while no proposal waits', () => {
        isWaiting = false;
        press('F9');
        press('F9', true);
        expect(passed).to.deep.equal(['F9', 'F9']);
    });
});
