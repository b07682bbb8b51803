// SPDX-License-Identifier: Apache-2.0

import { GEMINI_CLI } from '../support/cli-words';
import { describeReviewsWith } from './cli-reviews';

describeReviewsWith(GEMINI_CLI, 'cli');
