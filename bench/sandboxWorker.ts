import { type SandboxOptions, startSandbox } from '../sandbox/server';
import { answer } from './processes';

await answer(async (options: Partial<SandboxOptions>) => (await startSandbox(options)).url);
