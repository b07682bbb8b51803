// SPDX-License-Identifier: Apache-2.0

import { EncodingRegistry } from '@theia/core/lib/browser/encoding-registry';
import { QuickInputService } from '@theia/core/lib/browser/quick-input';
import { Disposable } from '@theia/core/lib/common/disposable';
import { EncodingService } from '@theia/core/lib/common/encoding-service';
import { Emitter } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { SUPPORTED_ENCODINGS } from '@theia/core/lib/common/supported-encodings';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EncodingMode } from '@theia/editor/lib/browser/editor';
import { FileSystemPreferences } from '@theia/filesystem/lib/common/filesystem-preferences';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { editorText, encodeRaw, formOf } from '../../common/diff/raw-text';
import { DecodedFile, FileDecoder } from '../../common/file-decoder';

/** Knows in which encoding Theia reads a file, and lets the user choose it until the page is loaded again. */
@injectable()
export class FileEncodings {
    @inject(EncodingRegistry)
    protected readonly registry: EncodingRegistry;
    @inject(EncodingService)
    protected readonly encodings: EncodingService;
    @inject(FileSystemPreferences)
    protected readonly preferences: FileSystemPreferences;
    @inject(MonacoTextModelService)
    protected readonly models: MonacoTextModelService;
    @inject(QuickInputService)
    protected readonly quickInput: QuickInputService;

    /** What the user has chosen, by the files' URIs. */
    protected readonly chosen = new Map<string, { readonly encoding: string; readonly override: Disposable }>();
    protected readonly onDidChooseEmitter = new Emitter<URI>();
    /** Fires with the file whose encoding the user has chosen. */
    readonly onDidChoose = this.onDidChooseEmitter.event;

    /** @returns `undefined` for bytes that are no text */
    decode(file: URI, bytes: Uint8Array): Promise<DecodedFile | undefined> {
        return new FileDecoder(this.encodings).decode(bytes, {
            guesses: this.preferences['files.autoGuessEncoding'],
            prefer: detected => this.preferredFor(file, detected)
        });
    }

    /** A raw text (`decodeRaw`) as an editor has it. */
    async textOf(file: URI, raw: string): Promise<string> {
        return editorText(formOf(raw) === 'bytes' ? ((await this.decode(file, encodeRaw(raw)))?.text ?? raw) : raw);
    }

    /** The name of the encoding that the user has chosen for it. */
    chosenFor(file: URI): string | undefined {
        const chosen = this.chosen.get(file.toString());
        return chosen && SUPPORTED_ENCODINGS[chosen.encoding].labelLong;
    }

    /** Asks the user. Theia then reads and saves the file in this encoding. */
    async choose(file: URI): Promise<void> {
        const items = Object.entries(SUPPORTED_ENCODINGS)
            .filter(([, { encodeOnly }]) => !encodeOnly)
            .sort(([, one], [, other]) => one.order - other.order)
            .map(([encoding, { labelLong }]) => ({ label: labelLong, description: encoding, encoding }));
        const placeholder = nls.localizeByDefault('Select File Encoding to Reopen File');
        const picked = await this.quickInput.showQuickPick(items, { placeholder });
        if (!picked) {
            return;
        }
        const { encoding } = picked;
        this.chosen.get(file.toString())?.override.dispose();
        const override = this.registry.registerOverride({ parent: file, encoding });
        this.chosen.set(file.toString(), { encoding, override });
        this.onDidChooseEmitter.fire(file);
        const open = this.models.get(file.toString());
        if (open && !open.dirty) {
            await open.setEncoding(encoding, EncodingMode.Decode);
        }
    }

    /** That of the file's editor, if somebody has chosen another one there than the settings say. */
    protected preferredFor(file: URI, detected: string | undefined): string {
        const usual = this.registry.getEncodingForResource(file);
        const open = this.models.get(file.toString())?.getEncoding();
        return this.registry.getEncodingForResource(file, open !== undefined && open !== usual ? open : detected);
    }
}
