import assert from 'node:assert/strict';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { before, describe, test } from 'node:test';

import { type InstanceWithSandbox } from '../../sandbox/n8n/instance';
import { makeTemporaryFolder } from '../../tools/cli/temporaryFolder';
import { addContactsExample } from '../../tools/n8n/examples/contactsExample';
import { installN8n } from '../../tools/n8n/install';
import { CURRENT, N8N_VARIABLE } from '../../tools/n8n/releases';
import { PROJECT_FOLDER } from '../../tools/project';
import { sessionForTests, startTestInstance } from './instanceForTests';

const IMAGE = 'n8nio/n8n:made-up';
const REACHABLE = 245;

/** A stand-in for docker: the "container" is the installed n8n in a session of its own, with the settings given alone. */
const docker = (n8n: string) => `#!/usr/bin/env bash
folder=$(dirname "$0")
command=$1
shift
if [ "$command" = kill ]; then
  kill -KILL -- "-$(cat "$folder/$1")"
  exit
fi
settings=()
while [[ $1 == --* ]]; do
  case $1 in
    --rm) shift ;;
    --env) settings+=("$2=\${!2}"); shift 2 ;;
    --name) name=$2; shift 2 ;;
    --workdir) cd "$2" || exit; shift 2 ;;
    *) shift 2 ;;
  esac
done
echo "$command $*" >>"$folder/calls"
shift
setsid env -i PATH="$PATH" "\${settings[@]}" ${n8n} "$@" &
n8n=$!
echo "$n8n" >"$folder/$name"
trap 'kill -TERM "$n8n"' TERM
wait "$n8n" || wait "$n8n"
`;

describe('n8n in a container', () => {
  const session = sessionForTests();
  let folder: string;
  let instance: InstanceWithSandbox;
  before(async () => {
    const { file, args } = await installN8n(CURRENT, session);
    folder = await makeTemporaryFolder('docker', session.cleanup);
    await writeFile(path.join(folder, 'docker'), docker([file, ...args].map((word) => `'${word}'`).join(' ')));
    await chmod(path.join(folder, 'docker'), 0o755);
    // For this process alone: each part has its own.
    process.env.PATH = `${folder}${path.delimiter}${process.env.PATH}`;
    process.env[N8N_VARIABLE] = `'${path.join(PROJECT_FOLDER, 'tools/n8n/container.sh')}' ${IMAGE}`;
    instance = await startTestInstance({}, session);
  });
  test('The command that MESSAGING_SEND_N8N names starts n8n, which is gone once it is killed and keeps its data', async () => {
    const { rest, sandbox, n8n } = instance;
    const { workflow, trigger } = await addContactsExample(instance);
    await rest.run(workflow, trigger, 60);
    assert.equal(sandbox.messages().length, REACHABLE);

    await n8n.kill();
    await assert.rejects(fetch(n8n.url));
    await instance.restart();
    await instance.rest.run(workflow, trigger, 60);
    assert.equal(sandbox.messages().length, 2 * REACHABLE);

    const started = `run ${IMAGE} start\n`;
    assert.equal(await readFile(path.join(folder, 'calls'), 'utf8'), started + started);
  });
});
