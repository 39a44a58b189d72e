import { type SandboxOptions, startSandbox } from '../sandbox/server';
import { serve } from './processes';

serve(async (options: Partial<SandboxOptions>) => (await startSandbox(options)).url);
