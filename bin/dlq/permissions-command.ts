import { Command } from 'commander';
import { BadInput } from '../../account/errors';
import { EXIT_CODES } from '../command-line';
import { DOCTOR_PERMISSIONS } from '../doctor/command';
import { allTaken, type CommandPermissions } from '../permissions';
import { writeJson } from '../print';
import type { DlqContext } from './command';
import { EXPORT_PERMISSIONS } from './export/command';
import { IMPORT_PERMISSIONS } from './import/command';
import { LIST_PERMISSIONS } from './list/command';
import { PEEK_PERMISSIONS } from './peek/command';
import { PURGE_PERMISSIONS } from './purge/command';
import { CANCEL_PERMISSIONS, REDRIVE_PERMISSIONS, WATCH_PERMISSIONS } from './redrive/command';
import { WHY_PERMISSIONS } from './why/command';

interface PermissionsOptions {
  readonly execute?: boolean;
  readonly json?: boolean;
}

const HELP = `
COMMAND is that of which the permissions are wanted, without dlo: "dlq why", or why. Without it, there is a statement for
each. What reads changes nothing; what acts takes more, which --execute adds. Narrow the resources to your own.

  dlo dlq permissions
  dlo dlq permissions why
  dlo dlq permissions redrive --execute > policy.json

It talks to nobody, and takes no permission.

${EXIT_CODES}`;

function statementOf(permissions: CommandPermissions, isExecuting: boolean) {
  const Sid = permissions.command.replace(/(?:^|\W)(\w)/g, (_, message: string) => message.toUpperCase());
  return { Sid, Effect: 'Allow', Action: allTaken(permissions, isExecuting), Resource: '*' };
}

/** @throws BadInput when there is no such command */
function chosen(words: readonly string[]): readonly CommandPermissions[] {
  if (words.length === 0) return PERMISSIONS;
  const wanted = words.join(' ');
  const found = PERMISSIONS.filter(({ command }) => [command, command.replace(/^dlq /, '')].includes(wanted));
  if (found.length > 0) return found;
  const there = PERMISSIONS.map(({ command }) => command).join(', ');
  throw new BadInput([`COMMAND must be one of ${there}, got ${JSON.stringify(wanted)}`]);
}

/** `dlo dlq permissions`. */
export function permissionsCommand({ io }: DlqContext): Command {
  return new Command('permissions')
    .description('print the policy that lets somebody run a command, read-only unless told otherwise')
    .argument('[COMMAND...]', 'a command, such as why')
    .option('--execute', 'with what it takes to act')
    .option('--json', 'print it on one line')
    .addHelpText('after', HELP)
    .action((words: string[], { execute = false, json }: PermissionsOptions) => {
      const document = {
        Version: '2012-10-17',
        Statement: chosen(words).map(permissions => statementOf(permissions, execute)),
      };
      if (json) writeJson(io, document);
      else io.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    });
}

/** What each command takes that works on dead-letter queues, in the order of the help; and `dlo doctor`, of an account. */
export const PERMISSIONS: readonly CommandPermissions[] = [
  LIST_PERMISSIONS,
  PEEK_PERMISSIONS,
  WHY_PERMISSIONS,
  REDRIVE_PERMISSIONS,
  WATCH_PERMISSIONS,
  CANCEL_PERMISSIONS,
  EXPORT_PERMISSIONS,
  IMPORT_PERMISSIONS,
  PURGE_PERMISSIONS,
  DOCTOR_PERMISSIONS,
];
