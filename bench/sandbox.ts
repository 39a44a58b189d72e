/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { getOneMessage, sendMessage } from 'execa';

import { type SandboxOptions, startSandbox } from '../sandbox/server';

/** The process of {@link RemoteSandbox}. */
await sendMessage((await startSandbox((await getOneMessage()) as Partial<SandboxOptions>)).url);
