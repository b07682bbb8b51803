// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ILogger } from '@theia/core/lib/common/logger';
import { MockLogger } from '@theia/core/lib/common/test/mock-logger';
import { Container, injectable } from '@theia/core/shared/inversify';
import { ContributionGuard } from './contribution-guard';

const Contribution = Symbol('Contribution');
interface Contribution {
    onStart?(argument: string): unknown;
    onStop?(): unknown;
}

@injectable()
class Healthy implements Contribution {
    readonly started: string[] = [];

    onStart(argument: string): string {
        this.started.push(argument);
        return 'answer';
    }
}

@injectable()
class Failing implements Contribution {
    static made = 0;
    static stopped = 0;

    constructor() {
        Failing.made++;
    }

    async onStart(): Promise<void> {
        throw new Error('onStart failed');
    }

    onStop(): void {
        Failing.stopped++;
        throw new Error('onStop failed');
    }
}

@injectable()
class Unmakable implements Contribution {
    static tries = 0;

    constructor() {
        Unmakable.tries++;
        throw new Error('cannot be made');
    }

    onStart(): void {
        // Never called.
    }
}

describe('ContributionGuard', () => {
    let container: Container;
    let guard: ContributionGuard;

    beforeEach(() => {
        Failing.made = Failing.stopped = Unmakable.tries = 0;
        container = new Container();
        container.bind(ILogger).toConstantValue(new MockLogger());
        container.bind(Healthy).toSelf().inSingletonScope();
        container.bind(Failing).toSelf().inSingletonScope();
        container.bind(Unmakable).toSelf().inSingletonScope();
        guard = new ContributionGuard();
        guard.contribute(container.bind.bind(container), Contribution, Unmakable, 'onStart');
        guard.contribute(container.bind.bind(container), Contribution, Failing, 'onStart', 'onStop');
        guard.contribute(container.bind.bind(container), Contribution, Healthy, 'onStart');
    });

    it('gives Theia every contribution, and makes none before it is called', async () => {
        const contributions = container.getAll<Contribution>(Contribution);
        expect(contributions).to.have.length(3);
        expect([Unmakable.tries, Failing.made]).to.deep.equal([0, 0]);
        const answers = contributions.map(contribution => contribution.onStart?.('argument'));
        expect(answers[2], 'at once, with what it answered').to.equal('answer');
        expect(container.get(Healthy).started).to.deep.equal(['argument']);
        await Promise.all(answers);
    });

    it('notes each failure once, tells of it, and tries to make nothing twice', async () => {
        let told = 0;
        guard.onDidChangeFailures(() => told++);
        const [unmakable, failing] = container.getAll<Contribution>(Contribution);
        unmakable.onStart?.('');
        unmakable.onStart?.('');
        expect(Unmakable.tries).to.equal(1);
        await failing.onStart?.('');
        failing.onStop?.();
        expect(Failing.stopped, 'what failed once is called all the same').to.equal(1);
        expect(guard.failures).to.deep.equal(['cannot be made', 'onStart failed']);
        expect(told).to.equal(2);
    });
});
