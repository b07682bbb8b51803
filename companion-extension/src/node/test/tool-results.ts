// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** @param call says which one, if the test makes several */
export function failureText(result: CallToolResult, call?: string): string {
    expect(result.isError, call).to.equal(true);
    expect(result.content).to.have.length(1);
    const [block] = result.content;
    return block.type === 'text' ? block.text : '';
}

/** What `closeDiff` says the text is. */
export function closedContent(result: CallToolResult): string {
    expect(result.isError).not.to.equal(true);
    expect(result.content).to.have.length(1);
    const [block] = result.content;
    return block.type === 'text' ? (JSON.parse(block.text) as { content: string }).content : '';
}
