import type { WorldSettings } from '../protocol';

/** The process number the runtime has in a Lambda sandbox; the engine's own would differ from run to run. */
const PROCESS_ID = 2;

/** Makes `process` that of a Lambda sandbox. What would end the engine ends this worker only. */
export function installProcess({ folder, variables }: WorldSettings): void {
  process.env = { ...variables };
  if (variables['NODE_OPTIONS']?.includes('--enable-source-maps')) process.setSourceMapsEnabled(true);
  Object.defineProperties(process, {
    pid: { value: PROCESS_ID },
    ppid: { value: 1 },
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
