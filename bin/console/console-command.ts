import { Command } from 'commander';
import { INVENTORY_READS, TO_JUDGE_KEYS_AND_ROLES } from '../../account/permissions';
import { addRedactOption, REDACT_HELP } from '../dlq/redact-option';
import { addAuditOption } from '../shared/audit';
import { addConnectionOptions, allowHostOption, type CommandContext, portOf } from '../shared/command-line';
import { type CommandPermissions, permissionsText } from '../shared/command-permissions';
import type { ConsoleCommandOptions } from './run-console';

export const CONSOLE_PERMISSIONS: CommandPermissions = {
  command: 'console',
  reads: [...INVENTORY_READS, 'sqs:ListMessageMoveTasks', 'cloudwatch:GetMetricData'],
  more: [
    {
      when: 'to look at messages and say why they are there',
      actions: ['sqs:GetQueueUrl', 'sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', 'logs:FilterLogEvents'],
    },
    {
      when: 'to show a fleet',
      actions: ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:Scan', 'dynamodb:BatchGetItem'],
    },
    TO_JUDGE_KEYS_AND_ROLES,
  ],
  keys: { reads: ['kms:Decrypt'] },
};

const HELP = `
The page shows what dlo dlq ls and dlo doctor print, and keeps it up to date. It reads AWS only while a page of it is visible, once
for all pages, and shows how many requests that takes. Only this machine can reach it, and only a browser that opened the printed
link. It changes nothing without --allow-changes. With it, a redrive needs the permissions of dlo dlq redrive, and a fix those of
its calls.

  dlo console --region eu-central-1
  dlo console --profile ops --allow-changes

dlo local has a console of its own: open its port in a browser.

${REDACT_HELP}

${permissionsText(CONSOLE_PERMISSIONS)}

Exit codes: 0 interrupted, 1 failure, 2 bad input.`;

/** `dlo console`. */
export function consoleCommand(context: CommandContext): Command {
  return addAuditOption(addRedactOption(addConnectionOptions(new Command('console'))))
    .option('--port <port>', 'the port to listen on, or 0 for any free port', portOf, 0)
    .addOption(allowHostOption())
    .option('--no-open', 'do not open a browser')
    .option('--allow-changes', 'let the page change something; each change shows its plan first')
    .addHelpText('after', HELP)
    .action(async (options: ConsoleCommandOptions) => (await import('./run-console')).runConsole(options, context));
}
