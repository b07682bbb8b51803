// SPDX-License-Identifier: Apache-2.0

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse as parseJsonc } from 'jsonc-parser';
import { parseAllDocuments } from 'yaml';
import { parseDockerfile, readArguments } from '../../browser-app/image/dockerfile.mjs';
import { readJson, ROOT } from './script.mjs';

const CLOUD = 'examples/cloud';
const IMAGE = join(ROOT, 'browser-app/image/files');

const { version: VERSION } = readJson('package.json');

function read(file) {
    return readFileSync(join(ROOT, file), 'utf8');
}

function readYaml(file) {
    const documents = parseAllDocuments(read(file), { uniqueKeys: true });
    expect(documents.flatMap(({ errors }) => errors)).to.deep.equal([]);
    return documents.map(document => document.toJS());
}

describe('what platform teams copy', () => {
    const stages = parseDockerfile(read('browser-app/Dockerfile'));
    const image = Object.fromEntries(stages.at(-1).instructions.map(({ keyword, text }) => [keyword, text]));
    const [{ inline: editor }] = readYaml(`${CLOUD}/che-editor.yaml`);
    const [appDefinition] = readYaml(`${CLOUD}/theia-cloud.yaml`);
    const resources = readYaml(`${CLOUD}/kubernetes.yaml`);

    /** Whether they have the shape that a platform wants is for that platform to say. */
    it('.devcontainer can be read', () => {
        const errors = [];
        parseJsonc(read('.devcontainer/devcontainer.json'), errors);
        expect(errors).to.deep.equal([]);
    });

    it('the resources for Kubernetes find one another', () => {
        const of = Object.fromEntries(resources.map(one => [one.kind, one]));
        const { labels } = of.StatefulSet.spec.template.metadata;
        const selectors = [
            of.StatefulSet.spec.selector.matchLabels,
            of.Service.spec.selector,
            of.NetworkPolicy.spec.podSelector.matchLabels
        ];
        expect(selectors).to.deep.equal([labels, labels, labels]);
        const [{ backend }] = of.Ingress.spec.rules[0].http.paths;
        expect(backend.service.name).to.equal(of.Service.metadata.name);
        const pod = of.StatefulSet.spec.template.spec;
        expect(pod.volumes[0].persistentVolumeClaim.claimName).to.equal(of.PersistentVolumeClaim.metadata.name);
        expect(pod.containers[0].volumeMounts.map(({ name }) => name)).to.include.members(pod.volumes.map(({ name }) => name));
    });

    it('Kubernetes lets in only the person whose session it is', () => {
        const of = Object.fromEntries(resources.map(one => [one.kind, one]));
        const middleware = of.Ingress.metadata.annotations['traefik.ingress.kubernetes.io/router.middlewares'];
        expect(middleware).to.equal(`ide-${of.Middleware.metadata.name}@kubernetescrd`);
        const { session } = of.StatefulSet.spec.template.metadata.labels;
        expect(of.Middleware.spec.forwardAuth.address).to.contain(`allowed_emails=${session}@`);
        expect(of.Ingress.spec.rules[0].host).to.equal(`${session}.ide.example.com`);
    });

    it('Kubernetes lets out nothing to the cluster or to metadata services', () => {
        const { egress } = resources.find(({ kind }) => kind === 'NetworkPolicy').spec;
        const blocks = egress.flatMap(({ to }) => to.flatMap(({ ipBlock }) => ipBlock ?? [])).filter(({ cidr }) => cidr === '0.0.0.0/0');
        expect(blocks).to.have.length(1);
        expect(blocks[0].except).to.include.members(['10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16']);
    });

    it('Eclipse Che finds an editor: with the parts of its name, and one page to open', () => {
        expect(editor.metadata.attributes).to.include.keys('publisher', 'version', 'title');
        const endpoints = editor.components.flatMap(({ container }) => container?.endpoints ?? []);
        expect(endpoints.filter(({ attributes }) => attributes?.type === 'main')).to.have.length(1);
    });

    it('the images have a version', () => {
        const [pod] = resources.flatMap(({ kind, spec }) => (kind === 'StatefulSet' ? [spec.template.spec] : []));
        const images = [pod.containers[0].image, appDefinition.spec.image, editor.components[0].container.image];
        expect(new Set(images)).to.deep.equal(new Set([`registry.example.com/companion-ide:${VERSION}`]));
    });

    it('all name the port, the user and the folders of the image', () => {
        const port = Number(image.EXPOSE);
        const [uid, gid] = image.USER.split(':').map(Number);
        const { securityContext, containers } = resources.find(({ kind }) => kind === 'StatefulSet').spec.template.spec;
        const [{ container }] = editor.components;
        expect([appDefinition.spec.port, container.endpoints[0].targetPort, containers[0].ports[0].containerPort]).to.deep.equal([
            port,
            port,
            port
        ]);
        expect([appDefinition.spec.uid, securityContext.runAsUser, securityContext.runAsGroup]).to.deep.equal([uid, uid, gid]);
        const [, home] = /\bHOME=(\S+)/.exec(image.ENV);
        const mounted = containers[0].volumeMounts.map(({ mountPath }) => mountPath);
        expect(mounted).to.have.members([...readArguments(image.CMD), home, '/tmp']);
        expect(readArguments(image.CMD)).to.deep.equal([appDefinition.spec.mountPath]);
        expect(container.volumeMounts[0].path).to.equal(home);
    });

    it('the image runs one script in each stage', () => {
        const runs = stages.map(({ instructions }) => instructions.filter(({ keyword }) => keyword === 'RUN').map(({ text }) => text));
        expect(runs.map(texts => texts.length)).to.deep.equal([1, 1]);
        expect(runs.flat().every(text => /^sh \S+\.sh( \S+)?$/.test(text))).to.equal(true);
    });

    it("the image switches both CLIs' IDE mode on, and has Qwen Code ask before it edits", () => {
        const defaults = ['qwen-code', 'gemini-cli'].map(cli =>
            JSON.parse(readFileSync(join(IMAGE, 'etc', cli, 'system-defaults.json'), 'utf8'))
        );
        expect(defaults.map(({ ide }) => ide)).to.deep.equal([{ enabled: true }, { enabled: true }]);
        // The root is read-only, and there is no npm.
        expect(defaults.map(({ general }) => general.enableAutoUpdate)).to.deep.equal([false, false]);
        expect(defaults[0].tools).to.deep.equal({ approvalMode: 'default' });
    });
});
