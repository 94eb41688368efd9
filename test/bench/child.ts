import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** A process of its own, which answers what it is asked, one thing after the other. */
export class Child {
  private readonly process: ChildProcess;
  private readonly ended: Promise<never>;

  /** @param file the bundle of a `*.child.ts` */
  constructor(file: string, env: NodeJS.ProcessEnv = {}) {
    this.process = fork(path.join(__dirname, file), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, NODE_NO_WARNINGS: '1', ...env },
    });
    this.ended = once(this.process, 'exit').then(([code]): never => {
      throw new Error(`the process that is measured ended with ${code}`);
    });
    // Whoever asks is told.
    this.ended.catch(() => {});
  }

  async ask<Answer>(load: object): Promise<Answer> {
    const answered = once(this.process, 'message');
    this.process.send(load);
    const [answer]: Answer[] = await Promise.race([answered, this.ended]);
    if (answer === undefined) throw new Error('the process that is measured has said nothing');
    return answer;
  }

  kill(): void {
    this.process.kill();
  }
}
