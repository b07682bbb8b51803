// SPDX-License-Identifier: Apache-2.0

import { URI } from '@theia/core/lib/common/uri';
import { Diagnostic, DiagnosticSeverity } from '@theia/core/shared/vscode-languageserver-protocol';
import type { ProblemManager } from '@theia/markers/lib/browser/problem/problem-manager';
import { CompanionLimits } from '../../common/companion-limits';
import { CompanionBackend, FileDiagnostic, FileDiagnostics } from '../../common/companion-protocol';
import { withTimeLimit } from '../../common/time-limit';
import { visibleLines, visibleText } from '../../common/visible-text';
import type { ContextFilter } from './context-filter';

/** A CLI waits for the answer with each edit. the backend's own limit is a little longer. */
const LINKS_LIMIT_MS = 250;

const SEVERITIES: Readonly<Record<DiagnosticSeverity, FileDiagnostic['severity']>> = {
    [DiagnosticSeverity.Error]: 'Error',
    [DiagnosticSeverity.Warning]: 'Warning',
    [DiagnosticSeverity.Information]: 'Info',
    [DiagnosticSeverity.Hint]: 'Hint'
};

/** The problems that Theia shows, in files that may be shared. */
export class SharedDiagnostics {
    constructor(
        protected readonly problems: Pick<ProblemManager, 'getUris' | 'findMarkers'>,
        protected readonly filter: Pick<ContextFilter, 'sharing' | 'isShared'>,
        protected readonly backend: Pick<CompanionBackend, 'realPaths'>
    ) {}

    /** @param uri of one file, as a CLI writes it: it may be a path behind `file://` that is not encoded */
    async read(uri: string | undefined): Promise<FileDiagnostics[]> {
        const all = [...this.problems.getUris()]
            .map(each => ({ uri: new URI(each), path: new URI(each).path.fsPath() }))
            .filter(file => file.uri.scheme === 'file');
        const wanted = uri === undefined ? [] : namesIn(uri);
        const named = all.filter(file => wanted.includes(file.path));
        let left: number = CompanionLimits.diagnostics;
        // Two names may lead to one file: that of the window's folder, and the one that the CLI was started with.
        const real = uri === undefined || named.length > 0 ? undefined : await this.follow(wanted);
        return (await this.shared(named.length > 0 ? named : all, real)).map(file => {
            // The most severe first: those of other files may have used the room up.
            const markers = this.problems.findMarkers({ uri: file.uri }).sort((a, b) => severityOf(a.data) - severityOf(b.data));
            const diagnostics = markers.slice(0, left).map(({ data }) => describe(data));
            left -= diagnostics.length;
            return { uri: uri ?? file.uri.toString(), diagnostics };
        });
    }

    /** The first of the files that may be shared. A link is as secret as what it leads to. @param wanted real paths; if left out, any */
    protected async shared<File extends { readonly path: string }>(files: readonly File[], wanted?: readonly unknown[]): Promise<File[]> {
        const most = CompanionLimits.diagnosedFiles;
        const end = Date.now() + LINKS_LIMIT_MS;
        const candidates = this.filter.sharing
            ? files.filter(({ path }) => path.length <= CompanionLimits.path && this.filter.isShared(path))
            : [];
        const shared: File[] = [];
        for (let start = 0; start < candidates.length && shared.length < most && Date.now() < end; start += most) {
            const some = candidates.slice(start, start + most);
            const paths = some.map(({ path }) => path);
            const real = await this.follow(paths, end - Date.now());
            shared.push(...some.filter((_, index) => this.isSharedFile(real[index]) && (!wanted || wanted.includes(real[index]))));
        }
        return shared.slice(0, most);
    }

    /** @returns nothing if the backend does not answer in time */
    protected async follow(paths: string[], limitMs = LINKS_LIMIT_MS): Promise<Array<string | undefined>> {
        const real = await withTimeLimit(this.backend.realPaths(paths), limitMs).catch(() => []);
        return real.map(path => path ?? undefined);
    }

    protected isSharedFile(realPath: string | undefined): boolean {
        return realPath !== undefined && this.filter.isShared(realPath);
    }
}

function namesIn(uri: string): string[] {
    const path = uri.replace(/^file:\/\//, '');
    try {
        return [path, decodeURIComponent(path)];
    } catch {
        return [path];
    }
}

/** Plugins also give objects, with a link for people. */
function codeOf(code: unknown): string | number | undefined {
    const value: unknown = typeof code === 'object' && code !== null && 'value' in code ? code.value : code;
    return typeof value === 'number' ? value : typeof value === 'string' ? visibleText(value).slice(0, CompanionLimits.reason) : undefined;
}

function severityOf({ severity = DiagnosticSeverity.Error }: Diagnostic): DiagnosticSeverity {
    return severity;
}

function describe(diagnostic: Diagnostic): FileDiagnostic {
    const { message, range, source } = diagnostic;
    const code = codeOf(diagnostic.code);
    const { start, end } = range;
    return {
        // It goes to the model, and nobody sees it before.
        message: visibleLines(message).slice(0, CompanionLimits.reason),
        severity: SEVERITIES[severityOf(diagnostic)],
        range: {
            start: { line: start.line, character: start.character },
            end: { line: end.line, character: end.character }
        },
        ...(code !== undefined && { code }),
        ...(source && { source: visibleText(source).slice(0, CompanionLimits.reason) })
    };
}
