// SPDX-License-Identifier: Apache-2.0

import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { interfaces } from '@theia/core/shared/inversify';
import { bindServices } from '../../common/bind-services';
import { ContributionGuard } from '../../common/contribution-guard';
import { doctorPath } from '../../common/doctor-protocol';
import { bindPageService } from '../server/bind-page-service';
import { Doctor } from './doctor';
import { DoctorService } from './doctor-service';

export function bindDoctor(bind: interfaces.Bind, guard: ContributionGuard): void {
    bindServices(bind, Doctor);
    // Only so that it is made in the root container: a connection's container has contribution providers of its own, and inversify then
    // does not look for the root's.
    guard.contribute(bind, BackendApplicationContribution, Doctor);
    bindPageService(bind, doctorPath, DoctorService);
}
