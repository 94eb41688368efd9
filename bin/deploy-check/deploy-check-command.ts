import { Command, InvalidArgumentError } from 'commander';
import { EXIT_CODES, pairOf } from '../shared/command-line';
import type { Io } from '../shared/io';

const HELP = `
OLD is the assembly that is deployed, NEW the one to deploy: output folders of "cdk synth". They may also be CloudFormation
templates of the same name in two folders. Both are deployed to an AWS on this machine, in all their accounts and Regions. The command plays messages through OLD while it is updated to NEW, and
compares what became of each with both versions by themselves. It names the operation of CloudFormation that affects a
message. Functions that receive messages are replaced, so nothing depends on what the app calls. A queue without a
function is received from every 30 seconds.

  git stash && npx cdk synth -o cdk.out.deployed && git stash pop
  npx cdk synth
  dlo deploy-check cdk.out.deployed cdk.out

It ends with 1 if the deployment loses messages, or if CloudFormation would roll it back.

${EXIT_CODES}`;

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
