// SPDX-License-Identifier: Apache-2.0

export interface SampleOptions {
    /** Made where it is missing. All that Theia and the CLIs write goes below it; whoever made it removes it. */
    directory: string;
    /** Port of the scripted model on 127.0.0.1. */
    modelPort: number;
    /** What PATH, SHELL, language and the like are taken from; nothing else is. The default is `process.env`. */
    environment?: NodeJS.ProcessEnv;
    /** Opens the sample's getting-started view at the first start; none by default. */
    gettingStarted?: boolean;
}

export interface Sample {
    /** The copy of the sample workspace, without symbolic links in its path. */
    workspace: string;
    /** HOME of the backend, and so of the terminals: holds `.theia`, `.qwen` and `.gemini` with their `settings.json`. */
    home: string;
    /** TMPDIR of the backend and the terminals. */
    tmpdir: string;
    /** The whole environment of the backend: `qwen` and `gemini` are on its PATH and talk to the scripted model. */
    env: NodeJS.ProcessEnv;
}

/** Makes a folder in which Theia and both CLIs run without a dialog, without an account and without the user's settings. */
export function prepareSample(options: SampleOptions): Sample;

/** The Node 24 that came as a dependency: runs the backend, the CLIs and the scripted model. */
export function nodeForClis(): string;
