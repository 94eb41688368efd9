import type { WorldSettings } from '../protocol';

/** The process number the runtime has in a Lambda sandbox; the engine's own would differ from run to run. */
const PROCESS_ID = 2;

const NODE = '/var/lang/bin/node';

/**
 * What the runtimes say they are, whatever release of node this is. AWS updates its releases without a word: our choice is one
 * of each.
 */
const RELEASES: Readonly<Record<string, string>> = { 18: '18.20.8', 20: '20.19.5', 22: '22.20.0', 24: '24.11.0' };

function releaseOf(runtime = ''): string {
  const major = /nodejs(\d+)/.exec(runtime)?.[1] ?? '22';
  return RELEASES[major] ?? `${major}.0.0`;
}

/** Makes `process` that of a Lambda sandbox. What would end the engine ends this worker only. */
export function installProcess({ folder, variables }: WorldSettings): void {
  process.env = { ...variables };
  if (variables['NODE_OPTIONS']?.includes('--enable-source-maps')) process.setSourceMapsEnabled(true);
  process.argv = [NODE, '/var/runtime/index.mjs'];
  const release = releaseOf(variables['AWS_EXECUTION_ENV']);
  Object.defineProperties(process, {
    pid: { value: PROCESS_ID },
    // A getter: node 20 answers the real one to whoever asks for a mere value.
    ppid: { get: () => 1 },
    title: { get: () => 'node', set: () => {} },
    execPath: { value: NODE },
    version: { value: `v${release}` },
    versions: { value: Object.freeze({ ...process.versions, node: release }) },
    release: { value: { name: 'node' } },
    // Node may be built without, so code has to expect that. A report tells the wall clock and this machine.
    report: { value: undefined },
    cwd: { value: () => folder },
    chdir: { value: () => {} },
    abort: { value: () => process.exit(134) },
    kill: {
      value: (pid: number, signal?: string | number) => {
        if (pid !== PROCESS_ID) throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH', syscall: 'kill' });
        return signal === 0 ? true : process.exit(137);
      },
    },
  });
}
