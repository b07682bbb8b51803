// SPDX-License-Identifier: Apache-2.0

/** What a screenshot leaves out: the mouse, and what is pressed. */
export interface Hand {
    /** Shows or hides the mouse. */
    show(visible: boolean): void;
    /** Shows the name of a key that is pressed, or none. */
    key(name: string): void;
}

declare global {
    interface Window {
        companionHand: Hand;
    }
}

/** For `addInitScript`: it must not use anything from outside itself. */
export function installHand(): void {
    const host = document.createElement('div');
    host.style.cssText = 'position: fixed; inset: 0; z-index: 2147483647; pointer-events: none; visibility: hidden';
    const mouse = document.createElement('div');
    mouse.style.cssText = 'position: absolute; left: -50px; top: -50px';
    mouse.innerHTML =
        '<svg width="22" height="30" viewBox="0 0 22 30" style="position: absolute; filter: drop-shadow(0 1px 2px #0008)">' +
        '<path d="M1 1 L1 23 L6.5 18 L10.5 27 L14.5 25.3 L10.6 16.5 L18 16.2 Z" fill="#111" stroke="#fff" stroke-width="1.6"/></svg>';
    const ring = document.createElement('div');
    ring.style.cssText =
        'position: absolute; left: -17px; top: -17px; width: 34px; height: 34px; box-sizing: border-box; border: 3px solid #f90; ' +
        'border-radius: 50%; visibility: hidden';
    const key = document.createElement('kbd');
    key.style.cssText =
        'position: absolute; left: 50%; bottom: 15%; transform: translateX(-50%); padding: 10px 26px; border-radius: 10px; ' +
        'background: #222; color: #fff; border: 2px solid #fff; box-shadow: 0 4px 18px #0008; font: 600 26px sans-serif; display: none';
    mouse.append(ring);
    host.append(mouse, key);
    const style = document.createElement('style');
    // Theia (1.74) gives it a border, which without WebGL strikes out a line of text.
    style.textContent = '.xterm .xterm-screen .xterm-link-layer { border: none; }';
    addEventListener('DOMContentLoaded', () => {
        document.documentElement.append(host);
        document.head.append(style);
    });
    addEventListener(
        'mousemove',
        ({ clientX, clientY }) => {
            mouse.style.left = `${clientX}px`;
            mouse.style.top = `${clientY}px`;
        },
        true
    );
    addEventListener('mousedown', () => (ring.style.visibility = 'inherit'), true);
    addEventListener('mouseup', () => (ring.style.visibility = 'hidden'), true);
    window.companionHand = {
        show: visible => (host.style.visibility = visible ? 'visible' : 'hidden'),
        key: name => {
            key.textContent = name;
            key.style.display = name ? 'block' : 'none';
        }
    };
}
