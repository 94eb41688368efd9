import { Command, InvalidArgumentError } from 'commander';
import { listOf, pairOf, VERDICT_EXIT_CODES } from '../shared/command-line';
import type { Io } from '../shared/io';

const HELP = `
OLD is the assembly that is deployed, NEW the one to deploy: output folders of "cdk synth". They may also be CloudFormation
templates of the same name in two folders. Both are deployed to an AWS on this machine, in all their accounts and Regions. The
command plays the same messages three times: through OLD, through OLD while it is updated to NEW, and through NEW. It compares
what each receiver gets from the update with what it gets from OLD, and names the statement, filter or setting that is the
reason, and the operation of CloudFormation. Functions that receive messages are replaced, so nothing depends on what the app calls.
A queue without a function is received from every 30 seconds.

  git stash && npx cdk synth -o cdk.out.deployed && git stash pop
  npx cdk synth
  dlo deploy-check cdk.out.deployed cdk.out
  dlo deploy-check cdk.out.deployed cdk.out --accept Shop/Picking:stops-arriving

Kinds of changes that make a deployment unsafe, for --accept RECEIVER:KIND:
  stops-arriving  NEW does not deliver messages that the receiver gets from OLD
  runs-less-often  a schedule of NEW runs less often
  loses-its-dead-letter-queue
                  what the receiver does not take is in a dead-letter queue with OLD, and lost with NEW
  lost            both deliver, but the update loses messages
  dead-lettered   both deliver, but messages are in a dead-letter queue after the update
  left-behind     both deliver, but the update leaves messages in another queue
Messages that come later than by a minute, or more than once, are shown. They do not make a deployment unsafe.

The deployment is safe (0), not safe or rolled back (1), or it is unknown (3): something on the way of the messages is not
simulated, or the templates show a loss that the messages of the check do not meet. --allow-unknown NAME accepts a gap.

${VERDICT_EXIT_CODES}`;

/** `dlo deploy-check`: what a deployment does to messages. */
export function deployCheckCommand(io: Io): Command {
  return new Command('deploy-check')
    .argument('<OLD>', 'the assembly that is deployed')
    .argument('<NEW>', 'the assembly to deploy')
    .option('--operation-seconds <n>', 'how long CloudFormation takes for one resource', seconds, 10)
    .option(
      '--parameter <name=value>',
      'a value for a parameter of the templates (repeatable)',
      pairOf('Name=Value'),
      {},
    )
    .option('--accept <receiver:kind>', 'a change that is meant to happen (repeatable)', listOf, [])
    .option('--allow-unknown <name>', 'a gap of the check that is known (repeatable)', listOf, [])
    .option('--seed <seed>', 'the random seed', '1')
    .option('--json', 'print it as JSON')
    .addHelpText('after', HELP)
    .action(async (before: string, after: string, options) =>
      (await import('./run-deploy-check')).runDeployCheck(before, after, options, io),
    );
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0 && value <= 3600) return value;
  throw new InvalidArgumentError('It must be a number from 0 to 3600.');
}
