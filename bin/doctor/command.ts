import { Command, Option } from 'commander';
import { INVENTORY_READS, STACK_READS, TO_JUDGE_KEYS_AND_ROLES } from '../../account/permissions';
import { SEVERITIES, type Severity } from '../../diagnosis/checks/finding';
import { addConnectionOptions, type ConnectionOptions } from '../command-line';
import type { DlqContext } from '../dlq/command';
import { type CommandPermissions, permissionsText } from '../permissions';

/** What `dlo doctor` is told. */
export interface DoctorOptions extends ConnectionOptions {
  readonly json?: boolean;
  readonly stack?: string;
  readonly severity: Severity;
  readonly failOn?: Severity;
}

/** Of an account. */
export const DOCTOR_PERMISSIONS: CommandPermissions = {
  command: 'doctor',
  reads: INVENTORY_READS,
  more: [{ when: 'with --stack', actions: STACK_READS }, TO_JUDGE_KEYS_AND_ROLES],
};

const HELP = `
ASSEMBLY is what "cdk synth" writes, usually cdk.out: its templates are read, with those of stages and nested stacks,
and AWS is not asked. Without it, and with --profile, --region or --endpoint-url, the account's Region is read. With
neither, cdk.out is, where it is in this folder, else the account.

What it finds is: rejected (AWS will not deploy it, or not take it), loses (messages are lost), unwatched (what is lost
nobody is told of), note. What a template or a missing permission does not tell, it says nothing of. Each finding has
an id, and docs/doctor.md a section on each. What an app acknowledges by it, for a stack or a construct in one, is
left out and counted; for an app or a stage too, where the plugin DeadLetterOfficeChecks checked it.

  dlo doctor cdk.out --fail-on loses
  dlo doctor --region eu-central-1 --severity loses
  dlo doctor --profile ops --json | jq -r '.findings[] | [.id, .resource] | @tsv'

Of an assembly it takes no permission. Of an account:
${permissionsText(DOCTOR_PERMISSIONS)}

Exit codes: 0 done, whatever was found; 1 could not, or found what --fail-on names; 2 bad input.`;

/** What a command does is loaded when it runs, and the SDK with it. */
const work = () => import('./run-doctor');

/** `dlo doctor`: what of an app's templates, or of an account, loses messages. */
export function doctorCommand(world: DlqContext): Command {
  return addConnectionOptions(new Command('doctor'))
    .description('find what loses messages: in a synthesized app, or in an account')
    .argument(
      '[ASSEMBLY]',
      'the folder of a cloud assembly (default: cdk.out, where it is here and no account is named)',
    )
    .option('--stack <name>', 'only what is in this stack, which is read with all others')
    .addOption(new Option('--severity <severity>', 'only what is as bad, or worse').choices(SEVERITIES).default('note'))
    .addOption(new Option('--fail-on <severity>', 'end with 1 where something is as bad, or worse').choices(SEVERITIES))
    .option('--json', 'print it as JSON')
    .addHelpText('after', HELP)
    .action(async (assembly: string | undefined, options: DoctorOptions) =>
      (await work()).runDoctor(assembly, options, world),
    );
}
