// SPDX-License-Identifier: Apache-2.0

import eslint from '@eslint/js';
import prettier from 'eslint-config-prettier';
import headers from 'eslint-plugin-headers';
import importX from 'eslint-plugin-import-x';
import { globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { folderImports } from './feature-imports.mjs';

const LAYERS = { common: ['node', 'browser'], node: ['browser'], browser: ['node'] };
/** Theia decides on the version: a second copy breaks dependency injection and React's hooks. */
const ONLY_THROUGH_THEIA = {
    regex: '^(inversify|express|react|react-dom)(/|$)',
    message: 'Import it from @theia/core/shared/….'
};

/** The daemon package and the example use what the companion promises to everybody. */
const ONLY_THE_CONTRACT = {
    regex: '^theia-cli-companion/(?!lib/(common|node|browser)$)',
    message: 'Import it from lib/common, lib/node or lib/browser: what is below internal has no promise.'
};
const NO_DAEMON = {
    regex: '^(theia-qwen-daemon|@theia/ai-[^/]+|@qwen-code/[^/]+)(/|$)',
    message: 'The companion must not depend on the daemon package, nor on Theia AI.'
};

const NODE_GLOBALS = readonly(
    'process',
    'URL',
    'Buffer',
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
    'fetch',
    'AbortController',
    'AbortSignal',
    'performance',
    'console',
    'module',
    'require',
    '__dirname'
);
/** The kernel or system folders answer these at once, or the process is about to end. */
const ASKS_AT_ONCE = [
    'companion-extension/src/node/http/port-keeper.ts',
    ...['process-marker', 'file-on-disk'].map(file => `companion-extension/src/node/discovery/${file}.ts`),
    ...['host-environment', 'linux-process-table', 'file-access-queues', 'policy-file'].map(
        file => `companion-extension/src/node/host/${file}.ts`
    )
];
/** Their agent is Node's, or what a product has put in its place. */
const MAY_REACH_A_PROXY = [
    'MemberExpression[object.name=/^https?$/][property.name=/^(get|request)$/]',
    'ImportDeclaration[source.value=/^(node:)?https?$/] > ImportSpecifier[imported.name=/^(get|request)$/]',
    'CallExpression[callee.name="fetch"]',
    'MemberExpression[object.name="globalThis"][property.name="fetch"]',
    'NewExpression[callee.property.name="ClientRequest"]:not(:has(Property[key.name="agent"]))'
];
const LOGGER_METHODS = [{ from: 'package', package: '@theia/core', name: ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] }];

function layer(name, others) {
    const folders = others.join('|');
    const message = `src/${name} must not depend on ${others.join(' or ')} code.`;
    const patterns = [
        ONLY_THROUGH_THEIA,
        { regex: `^\\..*/(${folders})/`, message },
        { regex: `^@theia/[^/]+/lib/(electron-)?(${folders})(/|$)`, message },
        { regex: `^theia-cli-companion/lib/(${folders})(/|$)`, message }
    ];
    const rule = (folder, more, ignores = []) => ({
        name: `layers/${folder}/${name}`,
        files: [`${folder}/src/${name}/**/*.{ts,tsx}`],
        ignores,
        rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns: [...patterns, ...more] }] }
    });
    return [
        rule('companion-extension', [NO_DAEMON]),
        rule('daemon-extension', []),
        // Its tests take the companion as an application does.
        rule('daemon-extension', [ONLY_THE_CONTRACT], ['**/test/**', '**/*spec.ts']),
        rule('examples/custom-ide/acme-companion', [ONLY_THE_CONTRACT])
    ];
}

export default tseslint.config(
    globalIgnores([
        '**/lib/**',
        '**/lib-*/**',
        '**/src-gen/**',
        'browser-app/gen-esbuild*.mjs',
        'browser-app/webpack.config.js',
        'e2e/results/**',
        '.setup/**',
        '**/.tmp*/**'
    ]),
    eslint.configs.recommended,
    {
        files: ['**/*.{js,cjs,mjs,ts,mts,cts,tsx}'],
        ignores: ['browser-app/sample-workspace/**'],
        plugins: { headers, 'import-x': importX },
        rules: {
            'headers/header-format': [
                'error',
                { source: 'string', style: 'line', content: 'SPDX-License-Identifier: Apache-2.0', trailingNewlines: 2 }
            ],
            'no-console': 'error',
            eqeqeq: ['error', 'always', { null: 'ignore' }],
            'import-x/first': 'error',
            'import-x/no-duplicates': 'error',
            'import-x/order': [
                'error',
                {
                    groups: [
                        ['builtin', 'external'],
                        ['parent', 'sibling', 'index']
                    ],
                    'newlines-between': 'ignore'
                }
            ]
        }
    },
    { files: ['**/*.{js,cjs,mjs}'], languageOptions: { globals: NODE_GLOBALS } },
    {
        files: ['**/*.{ts,mts,cts,tsx}'],
        extends: [tseslint.configs.recommended],
        languageOptions: {
            parserOptions: {
                projectService: { allowDefaultProject: ['browser-app/launch/*.d.mts', 'configs/scripts/*.d.cts'] },
                tsconfigRootDir: `${import.meta.dirname}/..`
            }
        },
        rules: {
            'no-restricted-imports': 'off',
            '@typescript-eslint/no-restricted-imports': ['error', { patterns: [ONLY_THROUGH_THEIA] }],
            '@typescript-eslint/explicit-function-return-type': [
                'error',
                { allowExpressions: true, allowTypedFunctionExpressions: true, allowHigherOrderFunctions: true }
            ],
            '@typescript-eslint/explicit-module-boundary-types': 'error',
            // Translations lie beside the sources, and are read when they are needed.
            // `import x = require(…)` is how TypeScript takes a module that is a function.
            '@typescript-eslint/no-require-imports': ['error', { allow: ['/i18n/[\\w-]+\\.json$'], allowAsImport: true }],
            // Theia's idiom for an interface and its constants.
            '@typescript-eslint/no-namespace': 'off',
            '@typescript-eslint/no-explicit-any': 'error',
            // Theia's loggers return promises, and never reject.
            '@typescript-eslint/no-floating-promises': ['error', { allowForKnownSafeCalls: LOGGER_METHODS }],
            '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false, inheritedMethods: false } }],
            '@typescript-eslint/await-thenable': 'error',
            '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', caughtErrors: 'none', ignoreRestSiblings: true }]
        }
    },
    { files: ['**/*.{d.ts,d.mts,d.cts}'], rules: { '@typescript-eslint/no-unused-vars': 'off' } },
    {
        // One folder that does not answer would stop the whole backend, for everybody.
        files: ['companion-extension/src/node/**', 'daemon-extension/src/node/**'],
        ignores: ['**/*spec.ts', '**/test/**', ...ASKS_AT_ONCE],
        rules: {
            'no-restricted-syntax': [
                'error',
                {
                    selector: 'MemberExpression[object.name=/^(fs|child_process)$/][property.name=/Sync$/]',
                    message: 'Use fs.promises, with a limit.'
                },
                { selector: 'ImportSpecifier[imported.name=/Sync$/]', message: 'Use fs.promises, with a limit.' },
                ...MAY_REACH_A_PROXY.map(selector => ({
                    selector,
                    message:
                        'A proxy of the environment or the product would see the token. Use `new http.ClientRequest` with an agent of its own.'
                }))
            ]
        }
    },
    ...Object.entries(LAYERS).flatMap(([name, others]) => layer(name, others)),
    ...folderImports(),
    { files: ['**/*.spec.mjs'], languageOptions: { globals: readonly('describe', 'it', 'before', 'beforeEach', 'after', 'afterEach') } },
    {
        // Chai's assertions are property accesses.
        files: ['**/*spec.{ts,mts,mjs}', '{e2e,tools}/src/**', '**/test/**'],
        rules: { '@typescript-eslint/no-unused-expressions': 'off', 'max-lines': ['error', { max: 500 }] }
    },
    prettier
);

function readonly(...names) {
    return Object.fromEntries(names.map(name => [name, 'readonly']));
}
