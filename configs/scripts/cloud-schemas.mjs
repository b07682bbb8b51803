// SPDX-License-Identifier: Apache-2.0
// What the formats of cloud platforms allow, as far as our files go: a field that stands here with another shape, or not at all, fails.

import { z } from 'zod';

/** A field that is not named is refused: a typo would be ignored by the platform. */
const shape = fields => z.strictObject(fields);
const name = z.string().regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
const port = z.number().int().min(1).max(65535);
const quantity = z.string().regex(/^\d+(\.\d+)?(m|k|M|G|Ki|Mi|Gi)?$/);
const seconds = z.number().int().positive();
const image = z.string().regex(/^[\w.-]+(\/[\w.-]+)*(:[\w.-]+)?$/);

/** The specification of containers.dev. */
const autoForward = z.enum(['notify', 'openBrowser', 'openBrowserOnce', 'openPreview', 'silent', 'ignore']);
export const DEV_CONTAINER = shape({
    name: z.string(),
    image,
    hostRequirements: shape({
        cpus: z.number().int().positive(),
        memory: z.string().regex(/^\d+[tgmk]b$/),
        storage: z.string().regex(/^\d+[tgmk]b$/)
    }),
    updateContentCommand: z.string(),
    postAttachCommand: z.string(),
    forwardPorts: z.array(port),
    portsAttributes: z.record(z.string().regex(/^\d+$/), shape({ label: z.string(), onAutoForward: autoForward })),
    otherPortsAttributes: shape({ onAutoForward: autoForward }),
    remoteUser: z.string()
});

/** Gitpod's own schema. `ignore-completely` is in its newer versions alone. */
export const GITPOD = shape({
    image,
    tasks: z.array(shape({ name: z.string(), init: z.string(), command: z.string() })),
    ports: z.array(
        shape({
            name: z.string().optional(),
            port: z.union([port, z.string().regex(/^\d+[:-]\d+$/)]),
            onOpen: z.enum(['open-browser', 'open-preview', 'notify', 'ignore', 'ignore-completely']),
            visibility: z.enum(['private', 'public'])
        })
    )
});

/** devfile.io, version 2.2 and 2.3. */
const container = shape({
    image,
    args: z.array(z.string()),
    mountSources: z.boolean(),
    memoryRequest: quantity,
    memoryLimit: quantity,
    cpuRequest: quantity,
    cpuLimit: quantity,
    env: z.array(shape({ name: z.string(), value: z.string() })),
    volumeMounts: z.array(shape({ name, path: z.string() })),
    endpoints: z.array(
        shape({
            name: name.max(15),
            targetPort: port,
            protocol: z.enum(['http', 'https', 'ws', 'wss', 'tcp', 'udp']),
            secure: z.boolean(),
            exposure: z.enum(['public', 'internal', 'none']),
            attributes: z.record(z.string(), z.unknown())
        })
    )
});
export const DEVFILE = shape({
    schemaVersion: z.string().regex(/^2\.[23]\.\d+$/),
    metadata: shape({ name, displayName: z.string(), description: z.string() }),
    attributes: z.record(z.string(), z.string()),
    components: z.tuple([shape({ name, container }), shape({ name, volume: shape({ size: quantity }) })])
});

/** The custom resource of Theia Cloud 1.2. */
export const APP_DEFINITION = shape({
    apiVersion: z.literal('theia.cloud/v1beta10'),
    kind: z.literal('AppDefinition'),
    metadata: shape({ name, namespace: name }),
    spec: shape({
        name: z.string().regex(/^[a-z0-9A-Z-_]+$/),
        image,
        imagePullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']),
        uid: z.number().int().positive(),
        port,
        ingressname: name,
        minInstances: z.number().int().nonnegative(),
        maxInstances: z.number().int().nonnegative(),
        timeout: z.number().int().positive(),
        requestsMemory: quantity,
        limitsMemory: quantity,
        requestsCpu: quantity,
        limitsCpu: quantity,
        mountPath: z.string().startsWith('/'),
        downlinkLimit: z.number().int(),
        uplinkLimit: z.number().int()
    })
});

const labels = z.record(z.string(), z.string());
const metadata = shape({ name, labels: labels.optional(), annotations: labels.optional() });
const amounts = shape({ cpu: quantity, memory: quantity });
const probe = shape({
    httpGet: shape({ path: z.string(), port: z.literal('http') }),
    periodSeconds: seconds,
    timeoutSeconds: seconds.optional(),
    failureThreshold: z.number().int().positive().optional()
});
const ports = z.array(shape({ protocol: z.enum(['TCP', 'UDP']), port }));
const ofNamespace = shape({ namespaceSelector: shape({ matchLabels: labels }) });
const pod = shape({
    automountServiceAccountToken: z.literal(false),
    enableServiceLinks: z.literal(false),
    terminationGracePeriodSeconds: seconds,
    securityContext: shape({
        runAsNonRoot: z.literal(true),
        runAsUser: z.number().int().positive(),
        runAsGroup: z.number().int(),
        fsGroup: z.number().int(),
        fsGroupChangePolicy: z.enum(['OnRootMismatch', 'Always']),
        seccompProfile: shape({ type: z.enum(['RuntimeDefault', 'Unconfined', 'Localhost']) })
    }),
    containers: z.tuple([
        shape({
            name,
            image,
            ports: z.tuple([shape({ name, containerPort: port })]),
            securityContext: shape({
                allowPrivilegeEscalation: z.literal(false),
                readOnlyRootFilesystem: z.literal(true),
                capabilities: shape({ drop: z.tuple([z.literal('ALL')]) })
            }),
            resources: shape({ requests: amounts, limits: amounts }),
            startupProbe: probe,
            readinessProbe: probe,
            livenessProbe: probe,
            volumeMounts: z.array(shape({ name, mountPath: z.string(), subPath: z.string().optional() }))
        })
    ]),
    volumes: z.tuple([
        shape({ name, persistentVolumeClaim: shape({ claimName: name }) }),
        shape({ name, emptyDir: shape({ sizeLimit: quantity }) })
    ])
});

/** Of Kubernetes 1.29, by kind. */
export const KUBERNETES = {
    PersistentVolumeClaim: shape({
        apiVersion: z.literal('v1'),
        kind: z.string(),
        metadata,
        spec: shape({
            accessModes: z.array(z.enum(['ReadWriteOnce', 'ReadWriteOncePod', 'ReadWriteMany'])),
            resources: shape({ requests: shape({ storage: quantity }) })
        })
    }),
    StatefulSet: shape({
        apiVersion: z.literal('apps/v1'),
        kind: z.string(),
        metadata,
        spec: shape({
            replicas: z.literal(1),
            serviceName: name,
            selector: shape({ matchLabels: labels }),
            template: shape({ metadata: shape({ labels }), spec: pod })
        })
    }),
    Service: shape({
        apiVersion: z.literal('v1'),
        kind: z.string(),
        metadata,
        spec: shape({ selector: labels, ports: z.tuple([shape({ name, port, targetPort: z.literal('http') })]) })
    }),
    NetworkPolicy: shape({
        apiVersion: z.literal('networking.k8s.io/v1'),
        kind: z.string(),
        metadata,
        spec: shape({
            podSelector: shape({ matchLabels: labels }),
            policyTypes: z.array(z.enum(['Ingress', 'Egress'])),
            ingress: z.array(shape({ from: z.array(ofNamespace), ports })),
            egress: z.array(
                shape({
                    to: z.array(z.union([ofNamespace, shape({ ipBlock: shape({ cidr: z.string(), except: z.array(z.string()) }) })])),
                    ports
                })
            )
        })
    }),
    Ingress: shape({
        apiVersion: z.literal('networking.k8s.io/v1'),
        kind: z.string(),
        metadata,
        spec: shape({
            ingressClassName: name,
            tls: z.array(shape({ hosts: z.array(z.string()), secretName: name })),
            rules: z.array(
                shape({
                    host: z.string(),
                    http: shape({
                        paths: z.array(
                            shape({
                                path: z.string(),
                                pathType: z.enum(['Exact', 'Prefix', 'ImplementationSpecific']),
                                backend: shape({ service: shape({ name, port: shape({ name }) }) })
                            })
                        )
                    })
                })
            )
        })
    })
};
