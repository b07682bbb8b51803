// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ContributionFilterRegistry, FilterContribution } from '@theia/core/lib/common/contribution-filter';
import { ContributionFilterRegistryImpl } from '@theia/core/lib/common/contribution-filter/contribution-filter-registry';
import { bindRootContributionProvider, ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { ILogger } from '@theia/core/lib/common/logger';
import { MockLogger } from '@theia/core/lib/common/test/mock-logger';
import { Container, injectable } from '@theia/core/shared/inversify';
import { ContributionGuard } from './contribution-guard';

const Contribution = Symbol('Contribution');
interface Contribution {
    register(argument: string): unknown;
}

@injectable()
class Healthy implements Contribution {
    readonly registered: string[] = [];

    register(argument: string): string {
        this.registered.push(argument);
        return 'answer';
    }
}

@injectable()
class Failing implements Contribution {
    register(): void {
        throw new Error('register failed');
    }
}

@injectable()
class Unmakable implements Contribution {
    static tries = 0;

    constructor() {
        Unmakable.tries++;
        throw new Error('cannot be made');
    }

    register(): void {
        // Never called.
    }
}

describe('ContributionGuard', () => {
    let container: Container;
    let guard: ContributionGuard;

    beforeEach(() => {
        Unmakable.tries = 0;
        container = new Container();
        container.bind(ILogger).toConstantValue(new MockLogger());
        container.bind(Healthy).toSelf().inSingletonScope();
        container.bind(Failing).toSelf().inSingletonScope();
        container.bind(Unmakable).toSelf().inSingletonScope();
        bindRootContributionProvider(container, Contribution);
        guard = new ContributionGuard();
        guard.contribute(container.bind.bind(container), Contribution, Unmakable, 'register');
        guard.contribute(container.bind.bind(container), Contribution, Failing, 'register');
        guard.contribute(container.bind.bind(container), Contribution, Healthy, 'register');
    });

    function contributions(): Contribution[] {
        return container.getNamed<ContributionProvider<Contribution>>(ContributionProvider, Contribution).getContributions();
    }

    it('without it, one that cannot be created breaks every contribution of its kind', () => {
        const theirs: Contribution = { register: () => undefined };
        const unguarded = new Container();
        bindRootContributionProvider(unguarded, Contribution);
        unguarded.bind(Unmakable).toSelf().inSingletonScope();
        unguarded.bind(Contribution).toConstantValue(theirs);
        unguarded.bind(Contribution).toDynamicValue(() => unguarded.get(Unmakable));
        const provider = unguarded.getNamed<ContributionProvider<Contribution>>(ContributionProvider, Contribution);
        expect(provider.getContributions()).to.deep.equal([]);
    });

    it('gives Theia every contribution, and catches what one throws', () => {
        const answers = contributions().map(contribution => contribution.register('argument'));
        expect(answers).to.deep.equal([undefined, undefined, 'answer']);
        expect(container.get(Healthy).registered).to.deep.equal(['argument']);
    });

    it('records each failure once, and creates nothing twice', () => {
        for (const contribution of [...contributions(), ...container.getAll<Contribution>(Contribution)]) {
            contribution.register('');
        }
        expect(Unmakable.tries).to.equal(1);
        expect(guard.failures).to.deep.equal(['cannot be made', 'register failed']);
    });

    it('lets an application filter our contributions by their class', () => {
        container.bind(ContributionFilterRegistry).to(ContributionFilterRegistryImpl).inSingletonScope();
        const filter: FilterContribution = {
            registerContributionFilters: registry => registry.addFilters([Contribution], [one => !(one instanceof Healthy)])
        };
        container.bind(FilterContribution).toConstantValue(filter);
        contributions().forEach(contribution => contribution.register(''));
        expect(container.get(Healthy).registered).to.deep.equal([]);
    });
});
