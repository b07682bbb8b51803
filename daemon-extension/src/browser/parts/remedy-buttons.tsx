// SPDX-License-Identifier: Apache-2.0

import { CommandService } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { Event } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import * as React from '@theia/core/shared/react';
import { WorkspaceCommands } from '@theia/workspace/lib/browser/workspace-commands';
import { QwenDaemonCommands } from '../qwen-daemon-command-ids';

interface RemedyButtonProps {
    label: string;
    /** While {@link run} runs. */
    busyLabel: string;
    className?: string;
    isWanted(): boolean;
    /** When {@link isWanted} may have changed. */
    changes: Event<unknown>[];
    run(): Promise<unknown>;
}

/** What helps against a problem. Goes by itself when it helps no more, however that came about. */
export const RemedyButton: React.FC<RemedyButtonProps> = ({ label, busyLabel, className, isWanted, changes, run }) => {
    const [, update] = React.useReducer((count: number) => count + 1, 0);
    const [busy, setBusy] = React.useState(false);
    React.useEffect(() => {
        const listeners = new DisposableCollection(...changes.map(change => change(update)));
        return () => listeners.dispose();
    }, []);
    const click = (): void => {
        setBusy(true);
        void run().finally(() => setBusy(false));
    };
    return isWanted() ? (
        <button className={`theia-button secondary ${className ?? ''}`} disabled={busy} onClick={click}>
            {busy ? busyLabel : label}
        </button>
    ) : undefined;
};

interface TrustButtonProps extends Partial<Pick<RemedyButtonProps, 'isWanted' | 'changes'>> {
    commands: CommandService;
}

/** Theia asks the user whether the workspace is to be trusted. */
export const TrustButton: React.FC<TrustButtonProps> = ({ commands, isWanted = () => true, changes = [] }) => (
    <RemedyButton
        label={WorkspaceCommands.MANAGE_WORKSPACE_TRUST.label ?? ''}
        busyLabel={WorkspaceCommands.MANAGE_WORKSPACE_TRUST.label ?? ''}
        isWanted={isWanted}
        changes={changes}
        run={() => commands.executeCommand(WorkspaceCommands.MANAGE_WORKSPACE_TRUST.id)}
    />
);

export const ReconnectButton: React.FC<Omit<RemedyButtonProps, 'label' | 'busyLabel' | 'className'>> = props => (
    <RemedyButton
        {...props}
        className="qwen-daemon-reconnect"
        label={QwenDaemonCommands.RECONNECT.label ?? ''}
        busyLabel={nls.localize('theia/qwen-daemon/reconnect/busy', 'Connecting…')}
    />
);
