// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { WindowIdentity } from './window-identity';

describe('WindowIdentity', () => {
    const original = Object.getOwnPropertyDescriptor(globalThis, 'window');
    let storage: Map<string, string>;

    beforeEach(() => {
        storage = new Map();
        const sessionStorage = {
            getItem: (key: string) => storage.get(key) ?? null,
            setItem: (key: string, value: string) => void storage.set(key, value),
            removeItem: (key: string) => void storage.delete(key)
        };
        Object.defineProperty(globalThis, 'window', { value: { sessionStorage }, configurable: true, writable: true });
    });

    afterEach(() => {
        if (original) {
            Object.defineProperty(globalThis, 'window', original);
        } else {
            Reflect.deleteProperty(globalThis, 'window');
        }
    });

    it('a reloaded page keeps its id, and each load has one of its own', () => {
        const [first, second] = [new WindowIdentity(), new WindowIdentity()];
        expect(first.windowId).to.equal(second.windowId);
        expect(first.loadId).not.to.equal(second.loadId);
    });

    it('a duplicated tab keeps the id that the backend gives it', () => {
        const { windowId } = new WindowIdentity();
        const duplicate = new WindowIdentity();
        expect(duplicate.windowId).to.equal(windowId);
        duplicate.adopt('another');
        expect([duplicate.windowId, new WindowIdentity().windowId]).to.deep.equal(['another', 'another']);
    });

    it('where the browser forbids storage, a reload makes a new window', () => {
        Object.defineProperty(globalThis, 'window', {
            get: () => {
                throw new Error('SecurityError');
            },
            configurable: true
        });
        const first = new WindowIdentity();
        expect(first.windowId).to.equal(first.windowId);
        expect(new WindowIdentity().windowId).not.to.equal(first.windowId);
    });
});
