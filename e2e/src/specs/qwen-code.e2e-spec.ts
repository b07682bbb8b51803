// SPDX-License-Identifier: Apache-2.0

import { QWEN_CODE } from '../support/cli-words';
import { describeReviewsWith } from './cli-reviews';

describeReviewsWith(QWEN_CODE, 'page');
