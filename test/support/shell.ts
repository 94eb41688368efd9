import { execFileSync } from 'node:child_process';

/** The words of a command, as a shell splits them. Nothing is run. */
export function shellWords(command: string): readonly string[] {
  return execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
}
