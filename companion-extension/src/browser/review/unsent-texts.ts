// SPDX-License-Identifier: Apache-2.0

import { SealedText } from './review-text';

const PREFIX = 'companion.edits.';

/** The storage of the tab. A function, because reading `window.sessionStorage` can throw. */
type TabStorage = () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/**
 * Typed texts that are not confirmed. The tab keeps them, also over a reload, and the next load of the page sends them. Each is of one
 * installation: the same origin may serve somebody else's backend tomorrow.
 */
export class UnsentTexts {
    /** The keys of what this load of the page has read or written. */
    protected readonly known = new Set<string>();
    protected readFrom: string | undefined;

    /** @param installation whose backend it is; `undefined` before the first hello */
    constructor(
        protected readonly installation: () => string | undefined,
        protected readonly storage: TabStorage = () => window.sessionStorage
    ) {}

    /** It has what this load of the page has not read. */
    get hasOthers(): boolean {
        return this.others.length > 0;
    }

    /**
     * Texts that this page sends nobody: they were typed while the backend of another installation was there. Each start of the IDE is one where
     * HOME cannot be written. Empty before the first hello.
     */
    get stranded(): SealedText[] {
        return this.prefix === undefined ? [] : this.others.flatMap(key => this.read(key) ?? []);
    }

    /** The user does not want it any more. */
    forgetStranded({ about: { reviewId } }: SealedText): void {
        this.others.filter(key => key.endsWith(`/${reviewId}`)).forEach(key => this.storage().removeItem(key));
    }

    /** @returns the ids of the reviews whose texts the browser refuses to store */
    write(saves: readonly SealedText[]): ReadonlySet<string> {
        const { prefix } = this;
        const refused = new Set<string>();
        const stored = new Set<string>();
        // The small ones first: a large one may leave no room.
        for (const save of [...saves].sort((one, other) => (one.text?.length ?? 0) - (other.text?.length ?? 0))) {
            const { reviewId } = save.about;
            if (prefix !== undefined && this.store(prefix + reviewId, save)) {
                stored.add(prefix + reviewId);
            } else {
                refused.add(reviewId);
            }
        }
        for (const key of this.known) {
            // What is refused now has at least its older text there.
            if (!stored.has(key) && !refused.has(key.slice(key.indexOf('/') + 1))) {
                this.storage().removeItem(key);
                this.known.delete(key);
            }
        }
        return refused;
    }

    /** @returns what an earlier load of the page could not send: once for each installation */
    takeEarlier(): SealedText[] {
        const { prefix } = this;
        if (prefix === undefined || prefix === this.readFrom) {
            return [];
        }
        this.readFrom = prefix;
        const keys = this.keys.filter(key => key.startsWith(prefix));
        keys.forEach(key => this.known.add(key));
        return keys.flatMap(key => this.read(key) ?? []);
    }

    /** Of this installation. Before the first hello it is not known which one that is. */
    protected get prefix(): string | undefined {
        const installation = this.installation();
        return installation === undefined ? undefined : `${PREFIX}${installation}/`;
    }

    protected get others(): string[] {
        const { prefix } = this;
        return this.keys.filter(key => !this.known.has(key) && (prefix === undefined || !key.startsWith(prefix)));
    }

    protected get keys(): string[] {
        try {
            const storage = this.storage();
            const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
            return keys.filter(key => key !== null).filter(key => key.startsWith(PREFIX));
        } catch {
            return [];
        }
    }

    /** @returns false if the browser refuses it, as it does with what is too long */
    protected store(key: string, save: SealedText): boolean {
        try {
            this.storage().setItem(key, JSON.stringify(save));
            this.known.add(key);
            return true;
        } catch {
            return false;
        }
    }

    protected read(key: string): SealedText | undefined {
        try {
            const save = JSON.parse(this.storage().getItem(key) ?? '') as Partial<SealedText> | null;
            return save?.about && save.revision && save.base
                ? { ...save, about: save.about, revision: save.revision, base: save.base }
                : undefined;
        } catch {
            return undefined;
        }
    }
}
