import { Command } from 'commander';
import { BadInput } from '../../account/errors';
import { CONSOLE_PERMISSIONS } from '../console/console-command';
import { DOCTOR_PERMISSIONS } from '../doctor/doctor-command';
import type { CommandContext } from '../shared/command-line';
import { EXIT_CODES } from '../shared/command-line';
import { allTaken, type CommandPermissions } from '../shared/command-permissions';
import { writeJson } from '../shared/print';
import { EDIT_PERMISSIONS } from './edit-command';
import { EXPORT_PERMISSIONS } from './export-command';
import { IMPORT_PERMISSIONS } from './import-command';
import { LIST_PERMISSIONS } from './list-command';
import { REDRIVE_PERMISSIONS } from './manual-redrive/manual-redrive-command';
import { CANCEL_PERMISSIONS, WATCH_PERMISSIONS } from './manual-redrive/move-task-commands';
import { PEEK_PERMISSIONS } from './peek-command';
import { PURGE_PERMISSIONS } from './purge-command';
import { WHY_PERMISSIONS } from './why-command';

interface PermissionsOptions {
  readonly execute?: boolean;
  readonly json?: boolean;
}

const HELP = `
COMMAND is a command without dlo: "dlq why", or why. Without COMMAND, there is a statement for each command. The
permissions only read. --execute adds those that change something. Narrow the resources to your own, but leave * for
cloudwatch:DescribeAlarms: CloudWatch omits composite alarms, without an error, unless the permission is on *.

  dlo dlq permissions
  dlo dlq permissions why
  dlo dlq permissions redrive --execute > policy.json

It does not call AWS, and needs no permission.

${EXIT_CODES}`;

function statementOf(permissions: CommandPermissions, isExecuting: boolean) {
  const Sid = permissions.command.replace(/(?:^|\W)(\w)/g, (_, message: string) => message.toUpperCase());
  return { Sid, Effect: 'Allow', Action: allTaken(permissions, isExecuting), Resource: '*' };
}

function chosen(words: readonly string[]): readonly CommandPermissions[] {
  if (words.length === 0) return PERMISSIONS;
  const wanted = words.join(' ');
  const found = PERMISSIONS.filter(({ command }) => [command, command.replace(/^dlq /, '')].includes(wanted));
  if (found.length > 0) return found;
  const there = PERMISSIONS.map(({ command }) => command).join(', ');
  throw new BadInput([`COMMAND must be one of ${there}, got ${JSON.stringify(wanted)}`]);
}

/** `dlo dlq permissions`. */
export function permissionsCommand({ io }: CommandContext): Command {
  return new Command('permissions')
    .description('print the IAM policy that a command needs, without the changing actions by default')
    .argument('[COMMAND...]', 'a command, such as why')
    .option('--execute', 'include the actions that change something')
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

/** The permissions of every `dlo dlq` command in the order of the help, and of `dlo doctor` for an account. */
export const PERMISSIONS: readonly CommandPermissions[] = [
  LIST_PERMISSIONS,
  PEEK_PERMISSIONS,
  WHY_PERMISSIONS,
  REDRIVE_PERMISSIONS,
  WATCH_PERMISSIONS,
  CANCEL_PERMISSIONS,
  EDIT_PERMISSIONS,
  EXPORT_PERMISSIONS,
  IMPORT_PERMISSIONS,
  PURGE_PERMISSIONS,
  DOCTOR_PERMISSIONS,
  CONSOLE_PERMISSIONS,
];
