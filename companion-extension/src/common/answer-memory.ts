// SPDX-License-Identifier: Apache-2.0

/** The same files are asked about with every key that moves the cursor. */
const MOST_ANSWERS = 500;

/** Remembers answers; the oldest are forgotten. */
export class AnswerMemory<Answer> {
    protected readonly answers = new Map<string, Answer>();

    get(question: string, find: () => Answer): Answer {
        const known = this.answers.get(question);
        if (known !== undefined || this.answers.has(question)) {
            return known as Answer;
        }
        const answer = find();
        for (const oldest of this.answers.keys()) {
            if (this.answers.size < MOST_ANSWERS) {
                break;
            }
            this.answers.delete(oldest);
        }
        this.answers.set(question, answer);
        return answer;
    }
}
