import { Command } from 'commander';
import { type CommandContext, run } from '../shared/command-line';
import { editCommand } from './edit-command';
import { exportCommand } from './export-command';
import { importCommand } from './import-command';
import { listCommand } from './list-command';
import { manualRedriveCommand } from './manual-redrive/manual-redrive-command';
import { cancelCommand, watchCommand } from './manual-redrive/move-task-commands';
import { peekCommand } from './peek-command';
import { permissionsCommand } from './permissions-command';
import { pickCommand } from './pick-command';
import { purgeCommand } from './purge-command';
import { whyCommand } from './why-command';

type Part = (context: CommandContext) => Command;

/** In the order of the help: commands that read, that move messages, and that use files. */
const PARTS: readonly Part[] = [
  listCommand,
  peekCommand,
  whyCommand,
  manualRedriveCommand,
  watchCommand,
  cancelCommand,
  editCommand,
  exportCommand,
  importCommand,
  purgeCommand,
  permissionsCommand,
];

/** `dlo dlq`: finds dead letters and their causes, and moves them back. */
export function dlqCommand(context: CommandContext): Command {
  const dlq = new Command('dlq');
  const runPart = (words: readonly string[]) =>
    run(new Command('dlo').addCommand(dlqCommand(context)), ['dlq', ...words], context.io);
  for (const part of PARTS) dlq.addCommand(part(context));
  return dlq.addCommand(pickCommand(context, runPart), { isDefault: true });
}
