// SPDX-License-Identifier: Apache-2.0

import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { OneAtATime } from '../one-at-a-time';
import { Problems } from '../problems';
import { DiscoveryFiles, DiscoveryFilesOptions } from './discovery-files';
import { HostEnvironment } from './host-environment';
import { IdeIdentity } from './ide-identity';
import { ProcessMarkers } from './process-marker';
import { SupportedCli } from './supported-cli';

/** Makes the discovery files of one more server. */
@injectable()
export class DiscoveryFilesFactory {
    @inject(ContributionProvider)
    @named(SupportedCli)
    protected readonly clis: ContributionProvider<SupportedCli>;

    @inject(IdeIdentity)
    protected readonly identity: IdeIdentity;

    @inject(ProcessMarkers)
    protected readonly markers: ProcessMarkers;

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    @inject(OneAtATime)
    protected readonly tasks: OneAtATime;

    @inject(Problems)
    protected readonly problems: Problems;

    create(): DiscoveryFiles {
        return new DiscoveryFiles(this.options);
    }

    protected get options(): DiscoveryFilesOptions {
        return {
            clis: this.clis.getContributions(),
            identity: this.identity,
            marker: this.markers.markerOf(),
            user: this.host,
            tasks: this.tasks,
            problems: this.problems
        };
    }
}
