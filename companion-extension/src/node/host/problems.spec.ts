// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ILogger } from '@theia/core/lib/common/logger';
import { Container } from '@theia/core/shared/inversify';
import { CompanionProblem } from '../../common/companion-problem';
import { RecordingLogger } from '../test/recording-logger';
import { Problems } from './problems';

describe('Problems', () => {
    let logger: RecordingLogger;
    let problems: Problems;

    beforeEach(() => {
        logger = new RecordingLogger();
        const container = new Container();
        container.bind(ILogger).toConstantValue(logger);
        container.bind(Problems).toSelf();
        problems = container.get(Problems);
    });

    const FULL: CompanionProblem = { code: 'contributed', text: 'The disk is full.', command: 'df' };
    const NO_PORT: CompanionProblem = { code: 'contributed', text: 'No port.' };

    it('logs a problem once when it appears and once when it ends, however many report it and however often', () => {
        for (const source of ['a', 'b', 'a']) {
            problems.report(source, [FULL]);
        }
        problems.report('a', []);
        expect(logger.lines).to.deep.equal(['The disk is full. Run: df']);
        problems.report('b', []);
        expect(logger.lines).to.deep.equal(['The disk is full. Run: df', 'No longer: The disk is full. Run: df']);
        problems.report('b', []);
        expect(logger.lines).to.have.length(2);
    });

    it('shows a window each problem once, and none of another window', () => {
        problems.report('a', [FULL]);
        problems.report('b', [FULL]);
        problems.report('c', [NO_PORT], 'window-1');
        expect(problems.of('window-1')).to.deep.equal([FULL, NO_PORT]);
        expect(problems.of('window-2')).to.deep.equal([FULL]);
    });

    it('fires only if something has changed', () => {
        let fired = 0;
        problems.onDidChange(() => fired++);
        problems.report('a', [FULL]);
        problems.report('a', [FULL]);
        expect(fired).to.equal(1);
        problems.report('a', []);
        expect(fired).to.equal(2);
    });
});
