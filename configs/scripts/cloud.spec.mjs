// SPDX-License-Identifier: Apache-2.0

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse as parseJsonc } from 'jsonc-parser';
import { parseAllDocuments } from 'yaml';
import { parseDockerfile, readArguments } from '../../browser-app/image/dockerfile.mjs';
import { ROOT } from './script.mjs';

const CLOUD = 'examples/cloud';
const IMAGE = join(ROOT, 'browser-app/image/files');

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
    const [devfile] = readYaml(`${CLOUD}/devfile.yaml`);
    const [appDefinition] = readYaml(`${CLOUD}/theia-cloud.yaml`);
    const resources = readYaml(`${CLOUD}/kubernetes.yaml`);

    /** Whether they have the shape that a platform wants is for that platform to say. */
    it('.devcontainer and .gitpod.yml can be read', () => {
        const errors = [];
        parseJsonc(read('.devcontainer/devcontainer.json'), errors);
        expect(errors).to.deep.equal([]);
        expect(readYaml('.gitpod.yml')).to.have.length(1);
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

    it('all name the port, the user and the folders of the image', () => {
        const port = Number(image.EXPOSE);
        const [uid, gid] = image.USER.split(':').map(Number);
        const { securityContext, containers } = resources.find(({ kind }) => kind === 'StatefulSet').spec.template.spec;
        const [{ container }] = devfile.components;
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
        expect(defaults[0].tools).to.deep.equal({ approvalMode: 'default' });
    });
});
