// SPDX-License-Identifier: Apache-2.0

import { inject, injectable } from '@theia/core/shared/inversify';
import { ApplicationPackage } from '@theia/core/shared/@theia/application-package';
import { IdeIdentity } from './ide-identity';

const FALLBACK = 'Eclipse Theia';

/** Names the application as its own windows do. */
@injectable()
export class ApplicationIdeIdentity implements IdeIdentity {
    @inject(ApplicationPackage)
    protected readonly application: Pick<ApplicationPackage, 'props'>;

    readonly name = 'theia';

    private cachedName: string | undefined;

    get displayName(): string {
        return (this.cachedName ??= this.applicationName());
    }

    /** The application's `package.json` may be missing beside a bundled backend, and reading it then throws. */
    protected applicationName(): string {
        try {
            return this.application.props.frontend.config.applicationName.trim() || FALLBACK;
        } catch {
            return FALLBACK;
        }
    }
}
