import { startSandbox, type SandboxOptions } from '../sandbox/server';
import { serve } from './processes';

serve(async (options: Partial<SandboxOptions>) => (await startSandbox(options)).url);
