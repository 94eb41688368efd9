import { Command, Option } from 'commander';
import { INVENTORY_READS, STACK_READS, TO_JUDGE_KEYS_AND_ROLES } from '../../account/permissions';
import { SEVERITIES } from '../../diagnosis/checks/finding';
import type { CommandContext } from '../shared/command-line';
import { addConnectionOptions } from '../shared/command-line';
import { type CommandPermissions, permissionsText } from '../shared/command-permissions';
import type { DoctorOptions } from './examine';

/** For an account. */
export const DOCTOR_PERMISSIONS: CommandPermissions = {
  command: 'doctor',
  reads: INVENTORY_READS,
  more: [{ when: 'with --stack', actions: STACK_READS }, TO_JUDGE_KEYS_AND_ROLES],
};

const HELP = `
ASSEMBLY is the output folder of "cdk synth", usually cdk.out. Its templates are read, including stages and nested stacks,
and AWS is not called. Without ASSEMBLY, but with --profile, --region or --endpoint-url, the Region of the account is
read. Without any of them, it reads cdk.out if that is in this folder, else the account.

Severities: rejected (AWS refuses it), loses (messages are or will be lost), unwatched (no alarm reports the loss), note.
What a template does not contain, or a missing permission hides, is not checked. Each finding has an id, and a section
in docs/doctor.md. Findings that the app acknowledges for a stack or construct are left out and counted. Those
acknowledged for an app or a stage are too, if the plugin DeadLetterOfficeChecks has checked it.

  dlo doctor cdk.out --fail-on loses
  dlo doctor --region eu-central-1 --severity loses
  dlo doctor --profile ops --json | jq -r '.findings[] | [.id, .resource] | @tsv'

An assembly needs no permission. For an account:
${permissionsText(DOCTOR_PERMISSIONS)}

Exit codes: 0 success, whatever was found; 1 failure, or a finding of --fail-on; 2 bad input.`;

/** The SDK is loaded only when the command runs. */
const work = () => import('./run-doctor');

/** `dlo doctor`: finds what in an app's templates, or in an account, loses messages. */
export function doctorCommand(world: CommandContext): Command {
  return addConnectionOptions(new Command('doctor'))
    .description('find what loses messages: in a synthesized app, or in an account')
    .argument('[ASSEMBLY]', 'the folder of a cloud assembly (default: cdk.out, if it exists and no account is named)')
    .option('--stack <name>', 'only findings in this stack; the others are read too')
    .addOption(
      new Option('--severity <severity>', 'only findings of this severity or worse')
        .choices(SEVERITIES)
        .default('note'),
    )
    .addOption(
      new Option('--fail-on <severity>', 'exit with 1 if there is a finding of this severity or worse').choices(
        SEVERITIES,
      ),
    )
    .option('--json', 'print it as JSON')
    .addHelpText('after', HELP)
    .action(async (assembly: string | undefined, options: DoctorOptions) =>
      (await work()).runDoctor(assembly, options, world),
    );
}
