// SPDX-License-Identifier: Apache-2.0

import { CommandRegistry } from '@theia/core/lib/common/command';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CliConnection, CompanionStatus, UnconnectedCli } from '../../common/companion-protocol';
import { asSentence, joinSentences, listOf } from '../../common/sentences';
import { PROMPT_COMMANDS } from './prompt-command-ids';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { CompanionConnection } from '../window/companion-connection';
import { commandRow, StatusBrief, StatusRow, StatusSection, StatusSectionContribution } from '../window/status-section-contribution';
import { describeTime, listCommands } from '../window/status-words';
import { WorkspacePaths } from '../window/workspace-paths';

/** In characters, in a window of 900 pixels. */
const ROOM_FOR_NAMES = 30;

/** The CLIs that are connected, those that run without a connection, and those that can be started. */
@injectable()
export class CliStatus implements StatusSectionContribution {
    @inject(CompanionConnection)
    protected readonly connection: Pick<CompanionConnection, 'state'>;
    @inject(WorkspacePaths)
    protected readonly paths: Pick<WorkspacePaths, 'display'>;
    @inject(CommandRegistry)
    protected readonly commands: Pick<CommandRegistry, 'getCommand'>;

    sections(): StatusSection[] {
        const status = this.connection.state?.status;
        const { connections = [], clis = [], state } = status ?? {};
        const run = clis.length > 0 ? commandRow(this.commands, SHARED_COMMANDS.RUN_CLI.id, 'play') : undefined;
        const runs = run ? [run] : [];
        // Where no CLI is connected, the row that starts one comes first.
        const isFirst = connections.length === 0 && state !== 'disabled';
        return [
            ...(state === 'disabled' ? [] : [this.clis(status, isFirst ? runs : [])]),
            { id: 'actions', order: 90, rows: isFirst ? [] : runs }
        ];
    }

    protected clis(status: CompanionStatus | undefined, runs: readonly StatusRow[]): StatusSection {
        const { connections = [], disconnectedClis = [], clis = [] } = status ?? {};
        const hasConnection = connections.length > 0;
        return {
            id: 'clis',
            order: 50,
            title: hasConnection
                ? nls.localize('theia/cli-companion/status/connectedClis', 'Connected CLIs')
                : nls.localize('theia/cli-companion/status/noConnections', 'No CLI is connected to this window'),
            sentence:
                status && !hasConnection
                    ? nls.localize('theia/cli-companion/status/ready', 'Ready. Start {0} in a terminal of this window.', listCommands(clis))
                    : undefined,
            rows: [...connections.map(cli => this.connected(cli)), ...disconnectedClis.map(cli => this.unconnected(cli)), ...runs],
            briefs: this.briefs(connections, disconnectedClis)
        };
    }

    protected briefs(connections: readonly CliConnection[], [unconnected]: readonly UnconnectedCli[]): StatusBrief[] {
        const briefs: StatusBrief[] = [];
        if (unconnected) {
            briefs.push({ kind: 'surprise', rank: 70, text: describeUnconnected(unconnected), icon: 'debug-disconnect' });
        }
        if (connections.some(({ unaskedMode }) => unaskedMode !== undefined)) {
            const text = nls.localize('theia/cli-companion/status/unasked', 'edits without review');
            briefs.push({ kind: 'surprise', rank: 90, text, icon: 'unlock' });
        }
        if (connections.length > 0) {
            const text = nls.localize('theia/cli-companion/status/connected', '{0} connected', listConnections(connections));
            briefs.push({ kind: 'lead', rank: 100, text });
        }
        return briefs;
    }

    protected connected({ displayName, folder, since, unaskedMode }: CliConnection): StatusRow {
        const where = folder === undefined ? undefined : this.paths.display(folder);
        const time = describeTime(since);
        const unasked =
            unaskedMode &&
            nls.localize(
                'theia/cli-companion/status/unaskedText',
                '{0} was started in {1} mode: it writes files without asking.',
                displayName,
                unaskedMode
            );
        const connected =
            where === undefined
                ? nls.localize('theia/cli-companion/status/since', '{0}: since {1}.', displayName, time)
                : nls.localize('theia/cli-companion/status/sinceIn', '{0}: in {1}, since {2}.', displayName, where, time);
        return {
            id: `cli ${displayName}`,
            icon: unasked ? 'unlock' : 'terminal',
            label: displayName,
            description: [where, nls.localize('theia/cli-companion/status/connectedSince', 'since {0}', time)].filter(Boolean).join(' · '),
            detail: unasked,
            sentences: unasked ? [connected, unasked] : [connected],
            command: PROMPT_COMMANDS.REVEAL_CLI.id,
            args: [displayName]
        };
    }

    /** A CLI that runs without a connection. */
    protected unconnected(cli: UnconnectedCli): StatusRow {
        const { cliId, connectCommand, folder } = cli;
        const label = describeUnconnected(cli);
        const [advice, detail = advice] = this.adviceFor(connectCommand, folder);
        return {
            id: `disconnected ${cliId}`,
            icon: 'debug-disconnect',
            label,
            detail,
            sentences: [joinSentences([asSentence(label), advice])],
            command: PROMPT_COMMANDS.CONNECT_CLI.id,
            args: [cli]
        };
    }

    /** @returns what to do, and, for its row, what Enter does */
    protected adviceFor(connectCommand: string | undefined, folder: string | undefined): [advice: string, row?: string] {
        if (folder !== undefined) {
            const advice = nls.localize('theia/cli-companion/status/openItsFolder', 'Start it again in an open folder, or open that one.');
            return [
                advice,
                joinSentences([advice, nls.localize('theia/cli-companion/status/opensWindow', 'Enter opens that folder in a new window.')])
            ];
        }
        return connectCommand === undefined
            ? [nls.localize('theia/cli-companion/status/startAgain', 'Start it again in a new terminal.')]
            : [
                  nls.localize('theia/cli-companion/status/typeConnect', 'Type {0} into its prompt.', connectCommand),
                  nls.localize('theia/cli-companion/status/typesConnect', 'Enter types {0} into its prompt.', connectCommand)
              ];
    }
}

function describeUnconnected({ displayName, folder, isOtherCheckout }: UnconnectedCli): string {
    if (isOtherCheckout) {
        return nls.localize(
            'theia/cli-companion/status/otherCheckout',
            '{0} works in another checkout of this project, {1}',
            displayName,
            folder
        );
    }
    return folder === undefined
        ? nls.localize('theia/cli-companion/status/runsHere', '{0} runs here, not connected', displayName)
        : nls.localize('theia/cli-companion/status/runsElsewhere', '{0} runs in {1}, which is not an open folder', displayName, folder);
}

/** `Qwen Code, Gemini CLI`, or `3 CLIs` if there is no room for the names. */
function listConnections(connections: readonly CliConnection[]): string {
    const names = listOf(connections.map(({ displayName }) => displayName));
    return names.length <= ROOM_FOR_NAMES || connections.length === 1
        ? names
        : nls.localize('theia/cli-companion/status/severalClis', '{0} CLIs', connections.length);
}
