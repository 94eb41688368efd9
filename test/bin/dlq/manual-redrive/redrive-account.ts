import type { Stack } from 'aws-cdk-lib';
import type { Deployed } from '../../../support/deployed';
import { openAccount } from '../../operated-account';
import { MemoryIo } from '../../shared/memory-io';
import { MessagesAccount } from '../messages-account';
import { Meddler } from './meddler';

/** An account with dead letters, and an operator who redrives them. */
export class RedriveAccount extends MessagesAccount {
  static override async of(fill: (stack: Stack) => void): Promise<RedriveAccount> {
    const { deployed, url } = await openAccount(fill);
    return new RedriveAccount(deployed, url);
  }

  /** For a stack that is already deployed. */
  static async ofDeployed(deployed: Deployed): Promise<RedriveAccount> {
    const { url } = await deployed.aws.listen();
    return new RedriveAccount(deployed, url);
  }

  /** Executes the current plan. */
  async redrive(queue: string, options = '') {
    return this.dlo(`redrive ${this.queue(queue)} ${options}--execute`);
  }

  /** Returns the id of the current plan. */
  async plan(queue: string): Promise<string> {
    return (await this.json(`redrive ${this.queue(queue)}`)).plan;
  }

  /** Runs a command, and interrupts it as soon as its output meets a condition. */
  async interrupted(args: string, isDue: (said: string) => boolean) {
    const io = new MemoryIo();
    return this.meanwhile(
      () => this.dlo(args, {}, io),
      () => {
        if (isDue(io.err)) io.interrupt();
      },
    );
  }

  /** Runs a command, and calls `act` whenever the command has waited for a while. */
  async meanwhile<T>(command: () => Promise<T>, act: () => void | Promise<void>): Promise<T> {
    const { deployed } = this;
    const advance = deployed.advance.bind(deployed);
    const spy = jest.spyOn(deployed, 'advance').mockImplementation(async stretch => {
      const passed = await advance(stretch);
      await act();
      return passed;
    });
    try {
      return await command();
    } finally {
      spy.mockRestore();
    }
  }

  /** Runs a command on a machine whose clock differs from AWS's by so many milliseconds. */
  async skewed<T>(milliseconds: number, command: () => Promise<T>): Promise<T> {
    this.clockAheadMs = milliseconds;
    try {
      return await command();
    } finally {
      this.clockAheadMs = 0;
    }
  }

  /** Starts a proxy between commands and AWS. */
  async meddler(): Promise<Meddler> {
    return Meddler.before(this.url);
  }

  /** Returns the messages that a function has logged as processed. */
  done(worker: string): readonly string[] {
    const group = `/aws/lambda/${this.deployed.ref(worker)}`;
    return this.deployed.log(group).flatMap(line => /done: (.*)/.exec(line)?.[1]?.trim() ?? []);
  }

  /** Counts the messages of a queue: the visible ones, and the others. */
  depth(construct: string): readonly [visible: number, others: number] {
    const queue = this.deployed.aws.state().queues.find(({ name }) => name === this.queue(construct));
    if (!queue) throw new Error(`there is no queue ${construct}`);
    return [queue.visible, queue.inFlight + queue.delayed];
  }
}
