// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { GitMoves } from './git-moves';
import { HeadTree } from './head-tree';
import { IndexAnswers } from './index-answers';
import { toName } from './index-entry';
import { IndexFold } from './index-fold';
import { IndexJournal } from './index-journal';
import { IndexLimits } from './index-limits';
import { IndexLines } from './index-lines';
import { IndexLook } from './index-look';
import { IndexRoom } from './index-room';
import { IndexRows } from './index-rows';
import { IndexSeed } from './index-seed';
import { IndexTurns } from './index-turns';
import { ObjectStore } from './object-store';
import { PrivateGit } from './private-git';
import { UserRepository } from './user-repository';
import { UsersIndex } from './users-index';
import { WorkTree } from './work-tree';

interface IndexPlace {
    /** A real path. */
    readonly root: string;
    /** The private git directory. */
    readonly folder: string;
    readonly limits: IndexLimits;
    /** git */
    readonly program: string | undefined;
    /** @param name in the work tree. @param prefix of the root there */
    readonly isSecret: (name: string, prefix: string) => boolean;
}

/** What a private index is made of. All of it depends on the repository that the root lies in. */
export class IndexParts {
    readonly objects: ObjectStore;
    readonly tree: WorkTree;
    readonly journal: IndexJournal;
    readonly moves: GitMoves;
    readonly fold: IndexFold;
    readonly answers: IndexAnswers;
    readonly look: IndexLook;
    readonly seed: IndexSeed;
    readonly head: HeadTree;
    readonly lines: IndexLines;
    readonly room: IndexRoom;
    readonly turns: IndexTurns;

    private constructor(
        readonly git: PrivateGit,
        /** Of the root in the work tree, with `/` at its end; empty if it is its top. */
        readonly prefix: string,
        { limits, isSecret }: IndexPlace,
        rows: IndexRows
    ) {
        const isSecretName = (name: string): boolean => isSecret(name, prefix);
        this.objects = new ObjectStore(git);
        this.tree = new WorkTree(git.top, this.objects, isSecretName, limits);
        const { objects, tree } = this;
        this.journal = new IndexJournal(git, limits.journalEntries);
        const { journal } = this;
        const users = new UsersIndex(git, tree);
        this.moves = new GitMoves(git, prefix, tree, objects, journal, users, limits);
        const { moves } = this;
        this.fold = new IndexFold(git, tree, objects, journal, rows, isSecretName, limits);
        this.head = new HeadTree(git, tree, users, moves);
        this.turns = new IndexTurns(tree, objects, journal, this.fold, rows);
        this.answers = new IndexAnswers(tree, objects, journal, moves, this.fold, this.head, this.turns, rows);
        this.look = new IndexLook(git, tree, journal, moves, users, prefix, isSecretName, limits);
        this.seed = new IndexSeed(git, tree, users, prefix, isSecretName, limits);
        this.lines = new IndexLines(git, tree, objects, journal, limits);
        this.room = new IndexRoom(git, objects, limits);
    }

    /** Rejects with a `GitError` if there is no git, or it does not answer. */
    static async find(place: IndexPlace, rows: IndexRows): Promise<IndexParts> {
        const { root, folder, limits, program } = place;
        const make = async (repository: UserRepository | undefined, top: string): Promise<IndexParts> => {
            const git = new PrivateGit(folder, top, repository, limits, program);
            const prefix = top === root ? '' : `${toName(path.relative(top, root))}/`;
            await git.prepare();
            return new IndexParts(git, prefix, place, rows);
        };
        const repository = await UserRepository.find(root);
        const parts = await make(repository, repository?.top ?? root);
        // A folder that the outer repository ignores is a folder of its own: a HOME may be a repository.
        const found = parts.prefix && (await parts.isIgnored()) ? await make(undefined, root) : parts;
        await found.journal.read();
        return found;
    }

    protected async isIgnored(): Promise<boolean> {
        const env = { GIT_LITERAL_PATHSPECS: '0' };
        return this.git.run(['check-ignore', '-q', '--', this.prefix.slice(0, -1)], { env }).then(
            () => true,
            () => false
        );
    }
}
