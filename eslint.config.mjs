// The same rule sets over the same files as n8n's store scanner (@n8n/scan-community-package),
// with the same four rules off, for the scanner's own reasons given beside each. Inline
// `eslint-disable` comments do not count, here as there.
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'sandbox/**',
      'demo/**',
      'release/**',
      'bench/**',
      'test/**',
      'examples/**',
      '*.{js,mjs}',
      'tsconfig*.json',
      'package-lock.json',
    ],
  },
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  {
    files: ['package.json', '{nodes,credentials}/**/*.{ts,js,json}'],
    ...n8nCommunityNodesPlugin.configs.recommended,
    rules: { ...n8nCommunityNodesPlugin.configs.recommended.rules, 'no-console': 'error' },
  },
  { plugins: { 'n8n-nodes-base': n8nNodesBase } },
  { files: ['package.json'], rules: n8nNodesBase.configs.community.rules },
  {
    files: ['credentials/**/*.ts'],
    rules: {
      ...n8nNodesBase.configs.credentials.rules,
      // Wants a camelCase page name of n8n's own documentation; community nodes give a full address.
      'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
      // The community plugin's credential-password-field is the more exact twin.
      'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
    },
  },
  {
    files: ['nodes/**/*.ts'],
    rules: {
      ...n8nNodesBase.configs.nodes.rules,
      // Both want the literal 'main'; n8n's own constant is asked for by the community plugin.
      'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
      'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
      // An API with a true maximum may say so in its parameter.
      'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
    },
  },
  { files: ['{nodes,credentials}/**/*.ts'], extends: tseslint.configs.recommended },
  { files: ['**/*.json', '**/*.ts'], languageOptions: { parser: tseslint.parser } },
);
