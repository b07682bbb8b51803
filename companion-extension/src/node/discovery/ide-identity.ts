// SPDX-License-Identifier: Apache-2.0

import { inject, injectable } from '@theia/core/shared/inversify';
import { ApplicationPackage } from '@theia/core/shared/@theia/application-package';

export const IdeIdentity = Symbol('IdeIdentity');
/**
 * How the CLIs name this IDE. Both need both names, or they believe that the terminal is outside any IDE
 * (Gemini CLI 0.61, Qwen Code 0.24). Rebind it to show your product's name.
 *
 * @since 0.1
 */
export interface IdeIdentity {
    /** Short, lower case. */
    readonly name: string;
    /** For people: "Connected to NAME". */
    readonly displayName: string;
}

const FALLBACK = 'Eclipse Theia';

/** Names the application as its own windows do. */
@injectable()
export class ApplicationIdeIdentity implements IdeIdentity {
    @inject(ApplicationPackage)
    protected readonly application: Pick<ApplicationPackage, 'props'>;

    readonly name = 'theia';

    protected cachedName: string | undefined;

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
