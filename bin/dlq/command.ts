import { Command } from 'commander';
import type { Wait } from '../../lambda/shared/clock';
import type { ConnectionOptions } from '../aws/connection-options';
import type { Io } from '../io';
import { permissionsCommand } from './permissions/permissions-command';

/** What every command of dead-letter queues is told. */
export interface DlqOptions extends ConnectionOptions {
  readonly json?: boolean;
}

/** What a command of dead-letter queues needs of the world. */
export interface DlqWorld {
  readonly io: Io;
  readonly nowMs: () => number;
  readonly wait: Wait;
}

/** What each part of `dlo dlq` adds to it. */
type Part = (world: DlqWorld) => Command;

/** In the order of the help: what finds out, what sends on, what keeps. */
const PARTS: readonly Part[] = [permissionsCommand];

/** `dlo dlq`: which messages died, where, since when and why, and what sends them home. */
export function dlqCommand(world: DlqWorld): Command {
  const dlq = new Command('dlq').description('dead letters: where they lie, why they died, and sending them on');
  for (const part of PARTS) dlq.addCommand(part(world));
  return dlq;
}
