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
        services.bind(ContextKeyService, { createKey: () => ({ set: () => undefined }) });
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

    function press(code: string, repeat = false): void {
        const event = new window.KeyboardEvent('keydown', { code, key: code, repeat, bubbles: true, cancelable: true });
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
