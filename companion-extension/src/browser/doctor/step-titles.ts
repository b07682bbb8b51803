// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { StepCode } from '../../common/diagnosis';

/** What the user reads above the finding of a step. */
export function titleOf(code: StepCode): string {
    switch (code.split('.')[0]) {
        case 'companion':
            return nls.localize('theia/cli-companion/doctor/companion', 'Companion in this window');
        case 'terminal':
            return nls.localize('theia/cli-companion/doctor/terminal', 'Terminal');
        case 'program':
        case 'version':
            return nls.localize('theia/cli-companion/doctor/program', 'Program and version');
        case 'process':
            return nls.localize('theia/cli-companion/doctor/process', 'IDE process');
        case 'environment':
            return nls.localize('theia/cli-companion/doctor/environment', 'Variables and umask');
        case 'folder':
            return nls.localize('theia/cli-companion/doctor/folder', 'Discovery folder');
        case 'file':
            return nls.localize('theia/cli-companion/doctor/file', 'Discovery file');
        case 'workspace':
            return nls.localize('theia/cli-companion/doctor/workspace', 'Workspace');
        case 'host':
            return nls.localize('theia/cli-companion/doctor/host', 'Container and host');
        case 'handshake':
            return nls.localize('theia/cli-companion/doctor/handshake', 'Connection to the IDE');
        case 'ideMode':
            return nls.localize('theia/cli-companion/doctor/ideMode', 'IDE mode');
        case 'approval':
            return nls.localize('theia/cli-companion/doctor/approval', 'Asks before edits');
        case 'trust':
            return nls.localize('theia/cli-companion/doctor/trust', 'Folder trust');
        case 'session':
            return nls.localize('theia/cli-companion/doctor/session', 'Running CLI');
        default:
            return nls.localize('theia/cli-companion/doctor/step', 'Step');
    }
}
