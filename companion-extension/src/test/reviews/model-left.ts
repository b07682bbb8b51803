// SPDX-License-Identifier: Apache-2.0

import { looksSame, OriginalFile } from '../../browser/diff/original-file';
import { Clock } from '../../common/clock';

/** Longer than two events of one change are apart. */
const READ_MS = 300;

/** Stands for Theia's model of a left side: it reads late, and drops what it has read if the file has changed again meanwhile. */
export class ModelLeft {
    /** Since when it looks as it does; as the clock counts. */
    since: number;
    protected newest = 0;
    protected readonly waiting: number[] = [];
    protected isReading = false;

    /**
     * @param file that it shows
     * @param read the file as it is now
     * @param show called with what it shows then
     */
    constructor(
        protected readonly clock: Clock,
        public file: OriginalFile,
        protected readonly read: () => OriginalFile,
        protected readonly show: (file: OriginalFile) => void
    ) {
        this.since = clock.now;
        show(file);
    }

    sync(): void {
        this.waiting.push(++this.newest);
        this.readNext();
    }

    protected readNext(): void {
        const number = this.isReading ? undefined : this.waiting.shift();
        if (number === undefined) {
            return;
        }
        if (number < this.newest) {
            this.readNext();
            return;
        }
        this.isReading = true;
        const file = this.read();
        this.clock.after(READ_MS, () => {
            this.isReading = false;
            if (number === this.newest) {
                this.take(file);
            }
            this.readNext();
        });
    }

    protected take(file: OriginalFile): void {
        if (!looksSame(file, this.file)) {
            this.since = this.clock.now;
        }
        this.file = file;
        this.show(file);
    }
}
