// SPDX-License-Identifier: Apache-2.0

import { bindRootContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { interfaces } from '@theia/core/shared/inversify';
import { DiskFileSystemProvider } from '@theia/filesystem/lib/node/disk-file-system-provider';
import { NodeFileUploadService } from '@theia/filesystem/lib/node/upload/node-file-upload-service';
import { bindServices } from '../../common/bind-services';
import { changesPath } from '../../common/changes/changes-protocol';
import { ContributionGuard } from '../../common/contribution-guard';
import { bindPageService } from '../server/bind-page-service';
import { WindowFeature } from '../server/window-feature';
import { ActiveAgentContribution } from './active-agent-contribution';
import { Changes } from './changes';
import { ChangesService } from './changes-service';
import { ChangesWindowFeature } from './changes-window-feature';
import { IdeWrites } from './ide-writes';

export function bindChanges(bind: interfaces.Bind, _guard: ContributionGuard, onActivation: interfaces.Container['onActivation']): void {
    bindServices(bind, Changes, ChangesWindowFeature, IdeWrites);
    bindRootContributionProvider(bind, ActiveAgentContribution);
    bind(WindowFeature).toService(ChangesWindowFeature);
    bindPageService(bind, changesPath, ChangesService);
    // Each page has a provider of its own.
    onActivation<DiskFileSystemProvider>(DiskFileSystemProvider, ({ container }, provider) => container.get(IdeWrites).follow(provider));
    onActivation<NodeFileUploadService>(NodeFileUploadService, ({ container }, service) => container.get(IdeWrites).followUploads(service));
}
