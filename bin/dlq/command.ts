import { Command } from 'commander';
import type { Wait } from '../../mover/clock';
import type { ConnectionOptions } from '../command-line';
import type { Io } from '../io';
import { exportCommand } from './export/command';
import { importCommand } from './import/command';
import { listCommand } from './list/command';
import { peekCommand } from './peek/command';
import { permissionsCommand } from './permissions-command';
import { purgeCommand } from './purge/command';
import { cancelCommand, redriveCommand, watchCommand } from './redrive/command';
import { whyCommand } from './why/command';

/** What every command of dead-letter queues is told. */
export interface DlqOptions extends ConnectionOptions {
  readonly json?: boolean;
}

/** What a command of dead-letter queues needs of the world. */
export interface DlqContext {
  readonly io: Io;
  readonly nowMs: () => number;
  readonly wait: Wait;
  /**
   * How long a receive waits at a queue that has nothing visible: more than 0, so that SQS asks all its servers. Where time
   * stands still while it is asked, 0.
   * @default 1
   */
  readonly pollSeconds?: number;
}

/** What each part of `dlo dlq` adds to it. */
type Part = (world: DlqContext) => Command;

/** In the order of the help: what finds out, what sends on, what keeps. */
const PARTS: readonly Part[] = [
  listCommand,
  peekCommand,
  whyCommand,
  redriveCommand,
  watchCommand,
  cancelCommand,
  exportCommand,
  importCommand,
  purgeCommand,
  permissionsCommand,
];

/** `dlo dlq`: which messages died, where, since when and why, and what sends them home. */
export function dlqCommand(world: DlqContext): Command {
  const dlq = new Command('dlq').description('dead letters: where they lie, why they died, and sending them on');
  for (const part of PARTS) dlq.addCommand(part(world));
  return dlq;
}
