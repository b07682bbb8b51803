// SPDX-License-Identifier: Apache-2.0

import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { Event } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import * as React from '@theia/core/shared/react';
import { QwenDaemonCommands } from '../qwen-daemon-command-ids';

interface ReconnectButtonProps {
    isWanted(): boolean;
    /** When {@link isWanted} may have changed. */
    changes: Event<unknown>[];
    reconnect(): Promise<unknown>;
}

/** Goes by itself when the connection is back, however that came about. */
export const ReconnectButton: React.FC<ReconnectButtonProps> = ({ isWanted, changes, reconnect }) => {
    const [, update] = React.useReducer((count: number) => count + 1, 0);
    const [busy, setBusy] = React.useState(false);
    React.useEffect(() => {
        const listeners = new DisposableCollection(...changes.map(change => change(update)));
        return () => listeners.dispose();
    }, []);
    const click = (): void => {
        setBusy(true);
        void reconnect().finally(() => setBusy(false));
    };
    return isWanted() ? (
        <button className="theia-button secondary qwen-daemon-reconnect" disabled={busy} onClick={click}>
            {busy ? nls.localize('theia/qwen-daemon/reconnect/busy', 'Connecting…') : QwenDaemonCommands.RECONNECT.label}
        </button>
    ) : undefined;
};
